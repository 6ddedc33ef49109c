// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var doubleDeclaration = Rule{
	ID:          "double-declaration",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "One Secret is declared twice, as a SealedSecret and as a plain or encrypted Secret: whichever comes last wins.",
	Remedy:      "Keep one of them.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2346",
	Check:       checkDoubleDeclaration,
}

func checkDoubleDeclaration(in Input) []finding.Finding {
	var out []finding.Finding
	for _, sealed := range in.Declared.SealedSecrets {
		for _, production := range in.index.productions[secretName{sealed.Ref.Namespace, sealed.Ref.Name}] {
			if production.By.Kind == "Secret" {
				out = append(out, spot(sealed.Ref, "", "%s is declared too", titleOf(production)))
			}
		}
	}
	return out
}
