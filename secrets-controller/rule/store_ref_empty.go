// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeRefEmpty = Rule{
	ID:          "store-ref-empty",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The store's name is optional in the schema. Without it, and without a source on each item, the operator looks for a store without a name.",
	Remedy:      "Set secretStoreRef.name, or sourceRef on every item.",
	Source:      "https://external-secrets.io/latest/api/externalsecret/",
	Check:       checkStoreRefEmpty,
}

func checkStoreRefEmpty(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		if b.Store.Name == "" && needsStore(b.Spec) {
			out = append(out, finding.Finding{
				Object: b.ref, Path: string(b.Base),
				Message: "secretStoreRef names no store, and not every item has a source of its own",
			})
		}
	}
	return out
}

// needsStore says whether an item is left without a source of its own. A
// generator under data is none: it is not implemented, and a fault by itself.
func needsStore(spec declaration.Spec) bool {
	for _, source := range itemSources(spec) {
		if source.Generator == nil && (source.Store == nil || source.Store.Name == "") {
			return true
		}
	}
	return false
}
