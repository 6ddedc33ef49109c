// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

var misspeltEnum = Rule{
	ID:          "misspelt-enum",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The field takes one of a few words, and this is none of them. The API server refuses the object.",
	Remedy:      "Use one of the words that the message lists.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3817",
	Check:       checkMisspeltEnum,
}

func checkMisspeltEnum(in Input) []finding.Finding {
	return in.violations(func(v violation) bool { return v.Fault == schema.NotListed && !v.newer && v.Field() != "engineVersion" })
}
