// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var placeholderApplied = Rule{
	ID:          "placeholder-applied",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A Secret in Git holds a text that asks to be replaced. It is no leak, but this is what the cluster would get, and the first thing an attacker tries.",
	Remedy:      "Let an ExternalSecret, a SealedSecret or SOPS deliver the real value, or remove the key.",
	Source:      "https://kubernetes.io/docs/concepts/security/secrets-good-practices/",
	Check:       checkPlaceholderApplied,
}

func checkPlaceholderApplied(in Input) []finding.Finding {
	var out []finding.Finding
	for _, secret := range in.Declared.Secrets {
		for _, leaf := range secret.Leaves {
			if leaf.Shape == declaration.ShapePlaceholder {
				out = append(out, leafFinding(secret.Ref, leaf,
					"key "+leaf.Key+" holds a placeholder, and that is what would be applied"))
			}
		}
	}
	return out
}
