// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var substitutionSecretInline = Rule{
	ID:          "substitution-secret-inline",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A variable that comes from a Secret is replaced in an object that is no Secret: the value is rendered into the open.",
	Remedy:      "Refer to the Secret instead.",
	Source:      "https://github.com/fluxcd/flux2/issues/2148",
	Check:       checkSubstitutionSecretInline,
}

func checkSubstitutionSecretInline(in Input) []finding.Finding {
	deployer, substitutes := in.substitutes()
	if !substitutes || len(deployer.FromSecrets) == 0 {
		return nil
	}
	var out []finding.Finding
	for _, v := range in.Declared.Variables {
		if v.Ref.Kind != "Secret" && shape.Announces(v.Name) && !deployer.Variables[v.Name] {
			out = append(out, spot(v.Ref, v.At, "variable %s comes from Secret %s, and its value is rendered into a %s", v.Name, listed(deployer.FromSecrets), v.Ref.Kind))
		}
	}
	return out
}
