// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var envfromPrefixCollision = Rule{
	ID:          "envfrom-prefix-collision",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Two envFrom entries make the same variable, and the later one wins.",
	Remedy:      "Give one of them a prefix.",
	Source:      "https://github.com/waifulabs/infrastructure/issues/5557",
	Check:       checkEnvfromPrefixCollision,
}

func checkEnvfromPrefixCollision(in Input) []finding.Finding {
	var out []finding.Finding
	seen := map[string]string{}
	for _, ref := range in.Declared.References {
		if ref.Use != declaration.UseEnvFrom {
			continue
		}
		var twice []string
		for _, key := range in.resolve(ref).keys.Known {
			id := fmt.Sprint(ref.By, ref.Container, ref.Prefix+key)
			if other, before := seen[id]; before && other != ref.Secret {
				twice = append(twice, ref.Prefix+key)
			}
			seen[id] = ref.Secret
		}
		if len(twice) > 0 {
			out = append(out, spot(ref.By, ref.EntryAt, "Secret %s makes %s again, and wins", ref.Secret, listed(twice)))
		}
	}
	return out
}
