// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

var unknownField = Rule{
	ID:          "unknown-field",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The schema does not know the field. Server-side apply with validation refuses it; any other way the server drops it in silence, and the declaration means something else than it says.",
	Remedy:      "Correct the name of the field.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/179",
	Check:       checkUnknownField,
}

func checkUnknownField(in Input) []finding.Finding {
	return in.violations(func(v violation) bool { return v.Fault == schema.Unknown && !v.newer })
}
