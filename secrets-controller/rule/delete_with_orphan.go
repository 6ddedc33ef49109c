// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var deleteWithOrphan = Rule{
	ID:          "delete-with-orphan",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Admission lets Delete with Orphan through. When the provider turns empty the operator reports an error that it never retries.",
	Remedy:      "Use creationPolicy Owner, or deletionPolicy Retain.",
	Source:      "https://external-secrets.io/latest/guides/ownership-deletion-policy/",
	Check:       checkDeleteWithOrphan,
}

func checkDeleteWithOrphan(in Input) []finding.Finding {
	return in.policyPair(declaration.DeletionDelete, "the operator fails for good once the provider is empty",
		declaration.CreationOrphan)
}
