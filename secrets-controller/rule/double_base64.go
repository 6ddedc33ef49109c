// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var doubleBase64 = Rule{
	ID:          "double-base64",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The value is base64 within base64: somebody hid something that can be read.",
	Remedy:      "If it is a secret, replace it and let a store deliver the next.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkDoubleBase64,
}

func checkDoubleBase64(in Input) []finding.Finding {
	return in.openedAs("double-base64", "base64 within base64, which hides nothing")
}
