// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esWithLiteral = Rule{
	ID:          "es-with-literal",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A file full of ExternalSecrets is not exempt: a literal stands in the clear in one of them.",
	Remedy:      "Replace the value, put it into the store, and fetch it.",
	Source:      "https://github.com/gitleaks/gitleaks/issues/1508",
	Check:       checkEsWithLiteral,
}

func checkEsWithLiteral(in Input) []finding.Finding {
	return in.openedAs("es-with-literal", "a literal of the template stands in the clear")
}
