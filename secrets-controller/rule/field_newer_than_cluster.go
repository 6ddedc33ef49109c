// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var fieldNewerThanCluster = Rule{
	ID:          "field-newer-than-cluster",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A later release of the External Secrets Operator knows the field or the word, and the one to judge against does not: its definition refuses the object or drops the field.",
	Remedy:      "Upgrade the operator and its definitions first, or do without.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/6398",
	Check:       checkFieldNewerThanCluster,
}

func checkFieldNewerThanCluster(in Input) []finding.Finding {
	return in.violations(func(v violation) bool { return v.newer })
}
