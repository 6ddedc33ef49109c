// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var deletionMergeNone = Rule{
	ID:          "deletion-merge-none",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "deletionPolicy Merge removes single keys from a Secret that creationPolicy None never writes; the operator's webhook refuses it.",
	Remedy:      "Leave deletionPolicy out, or let the ExternalSecret write its target.",
	Source:      "https://external-secrets.io/latest/guides/ownership-deletion-policy/",
	Check:       checkDeletionMergeNone,
}

func checkDeletionMergeNone(in Input) []finding.Finding {
	return in.policyPair(declaration.DeletionMerge, "there is no Secret to remove keys from",
		declaration.CreationNone)
}
