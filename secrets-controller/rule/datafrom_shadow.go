// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var datafromShadow = Rule{
	ID:          "datafrom-shadow",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Two items yield the same key, and the later one wins in silence.",
	Remedy:      "Rename one of them with a rewrite.",
	Source:      "https://github.com/waifulabs/infrastructure/issues/5557",
	Check:       checkDatafromShadow,
}

func checkDatafromShadow(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		seen := map[string]int{}
		unknown := -1
		for i, item := range b.DataFrom {
			keys := in.Declared.ItemKeys(i, item, b.ref.Namespace)
			var twice []string
			for _, key := range keys.Known {
				if _, before := seen[key]; before {
					twice = append(twice, key)
				}
				seen[key] = i
			}
			if len(twice) > 0 {
				out = append(out, spot(b.ref, item.At, "this item yields %s too, and wins over an earlier one", listed(twice)))
			}
			if item.HasExtract && unknown >= 0 {
				out = append(out, graded(spot(b.ref, item.At, "two items take what the store holds; where they share a key, this one wins"), secretsv1.SeverityInfo))
			}
			if item.HasExtract {
				unknown = i
			}
		}
		return out
	})
}
