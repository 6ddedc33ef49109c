// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var privateKey = Rule{
	ID:          "private-key",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A private key stands in the open.",
	Remedy:      "Make a new key, and revoke what was issued for this one.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkPrivateKey,
}

func checkPrivateKey(in Input) []finding.Finding {
	return in.openedAs("private-key", "a private key stands in the open")
}
