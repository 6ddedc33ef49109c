// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var plainSecretNonsensitive = Rule{
	ID:          "plain-secret-nonsensitive",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The Secret holds only what is named like no secret: user names, hosts, ports.",
	Remedy:      "Put such settings into a ConfigMap.",
	Source:      "https://github.com/onedr0p/sops-pre-commit/issues/24",
	Optional:    true,
	Check:       checkPlainSecretNonsensitive,
}

func checkPlainSecretNonsensitive(in Input) []finding.Finding {
	var out []finding.Finding
	for _, secret := range in.Declared.Secrets {
		open := slices.DeleteFunc(slices.Clone(secret.Leaves), func(leaf declaration.Leaf) bool { return !leaf.Stands() })
		if len(open) > 0 && !slices.ContainsFunc(open, func(leaf declaration.Leaf) bool { return !harmlessField.MatchString(leaf.Key) }) {
			out = append(out, spot(secret.Ref, "", "nothing in the Secret is named like a secret"))
		}
	}
	return out
}
