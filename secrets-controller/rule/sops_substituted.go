// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsSubstituted = Rule{
	ID:          "sops-substituted",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Flux replaces variables in the ciphertext too: a dollar sign and a brace in it are eaten.",
	Remedy:      "Take the object out of substitution with kustomize.toolkit.fluxcd.io/substitute: disabled.",
	Source:      "https://fluxcd.io/flux/components/kustomize/kustomizations/",
	Check:       checkSopsSubstituted,
}

func checkSopsSubstituted(in Input) []finding.Finding {
	deployer, substitutes := in.substitutes()
	if !substitutes {
		return nil
	}
	var out []finding.Finding
	for _, secret := range in.Declared.Secrets {
		if secret.SOPS && !in.spared(secret.Ref) && secret.Encrypted() > 0 {
			out = append(out, spot(secret.Ref, "/metadata/annotations", "%s substitutes variables in the ciphertext of this Secret", title(deployer.Ref)))
		}
	}
	return out
}
