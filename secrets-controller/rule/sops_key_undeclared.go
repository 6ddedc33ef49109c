// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsKeyUndeclared = Rule{
	ID:          "sops-key-undeclared",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The key that decrypts is a root: it cannot come from what it decrypts.",
	Remedy:      "Name it as a root in a SecretPolicy, with an owner, and keep it where a rebuilt cluster finds it.",
	Source:      "https://github.com/claytono/infra/issues/169",
	Check:       checkSopsKeyUndeclared,
}

func checkSopsKeyUndeclared(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		at := secretName{ref.Namespace, ref.Secret}
		if ref.Use == declaration.UseDecryption && len(in.index.productions[at]) == 0 && len(in.outside(at)) == 0 {
			out = append(out, spot(ref.By, ref.SecretAt, "Secret %s decrypts the rest and is a root that no policy names", ref.Secret))
		}
	}
	return out
}
