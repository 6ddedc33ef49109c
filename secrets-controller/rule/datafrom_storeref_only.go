// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var dataFromStoreRefOnly = Rule{
	ID:          "datafrom-storeref-only",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A storeRef in dataFrom only redirects an extract or a find. Alone it passes every check and fetches nothing.",
	Remedy:      "Add extract or find beside the storeRef.",
	Source:      "https://external-secrets.io/latest/api/externalsecret/",
	Check:       checkDataFromStoreRefOnly,
}

func checkDataFromStoreRefOnly(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		for _, item := range b.DataFrom {
			if len(sourcesOf(item)) == 0 && item.Source.Store != nil {
				out = append(out, finding.Finding{
					Object: b.ref, Path: string(item.At),
					Message: "the item names a store and neither extract nor find: it fetches nothing",
				})
			}
		}
	}
	return out
}
