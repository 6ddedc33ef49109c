// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var encryptedPrivateKey = Rule{
	ID:          "encrypted-private-key",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A private key that a passphrase protects stands in the open: whoever has it can try passphrases at leisure.",
	Remedy:      "Keep it in a store like any other key.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkEncryptedPrivateKey,
}

func checkEncryptedPrivateKey(in Input) []finding.Finding {
	return in.openedAs("encrypted-private-key", "a private key, protected by a passphrase only")
}
