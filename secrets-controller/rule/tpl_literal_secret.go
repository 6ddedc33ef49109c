// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplLiteralSecret = Rule{
	ID:          "tpl-literal-secret",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A text of the template holds a secret in the clear, so it stands in Git although an ExternalSecret surrounds it.",
	Remedy:      "Replace the value, put it into the store, and fetch it.",
	Source:      "https://github.com/gitleaks/gitleaks/issues/1508",
	Check:       checkTplLiteralSecret,
}

func checkTplLiteralSecret(in Input) []finding.Finding {
	return in.openedAs("tpl-literal-secret", "the text holds a secret in the clear")
}
