// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var consumerViaMerge = Rule{
	ID:          "consumer-via-merge",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The key comes from an ExternalSecret that merges into a Secret which something else creates: whoever changes one of them has to know the other.",
	Remedy:      "Nothing has to be done.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/918",
	Check:       checkConsumerViaMerge,
}

func checkConsumerViaMerge(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ref := range in.Declared.References {
		v := in.resolve(ref)
		if ref.Key == "" || v.supply != supplied || len(v.by) < 2 {
			continue
		}
		for _, production := range v.by {
			if adds(production.Policy) && slices.Contains(production.Keys.Known, ref.Key) {
				out = append(out, spot(ref.By, ref.KeyAt, "key %s of Secret %s is merged in by %s", ref.Key, ref.Secret, titleOf(production)))
			}
		}
	}
	return out
}
