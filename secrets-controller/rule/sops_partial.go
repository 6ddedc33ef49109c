// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsPartial = Rule{
	ID:          "sops-partial",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "SOPS encrypted some keys of the Secret and left others in the clear: an expression that does not cover them, or a key added by hand afterwards.",
	Remedy:      "Replace the value, and encrypt the file again with an expression that covers data and stringData.",
	Source:      "https://github.com/getsops/sops/issues/1557",
	Check:       checkSopsPartial,
}

func checkSopsPartial(in Input) []finding.Finding {
	return in.openLeaves(func(secret declaration.Secret, leaf declaration.Leaf) string {
		if !secret.SOPS || secret.Encrypted() == 0 {
			return ""
		}
		return "key " + leaf.Key + " is in the clear, although SOPS encrypted other keys of this Secret"
	})
}
