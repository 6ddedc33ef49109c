// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var dataOverridesDatafrom = Rule{
	ID:          "data-overrides-datafrom",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A key under data hides the same key of a dataFrom item.",
	Remedy:      "Nothing has to be done if that is meant.",
	Source:      "https://github.com/itscontained/secret-manager/issues/10",
	Check:       checkDataOverridesDatafrom,
}

func checkDataOverridesDatafrom(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for i, item := range b.DataFrom {
			keys := in.Declared.ItemKeys(i, item, b.ref.Namespace)
			for j, data := range b.Data {
				if slices.Contains(keys.Known, data.Key) {
					out = append(out, spot(b.ref, b.Base.Child("data", j), "key %s under data hides that of dataFrom %d", data.Key, i))
				}
			}
		}
		return out
	})
}
