// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

var storeProviderUnknown = Rule{
	ID:          "store-provider-unknown",
	Severity:    secretsv1.SeverityUnknown,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The provider is none that the generated types or the list of later ones know, so nothing can be said about it.",
	Remedy:      "Compare with the documentation of the operator that is installed.",
	Source:      "https://external-secrets.io/latest/provider/aws-secrets-manager/",
	Check:       checkStoreProviderUnknown,
}

func checkStoreProviderUnknown(in Input) []finding.Finding {
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		for _, provider := range store.Providers {
			if known, decided := in.knowsProvider(store, provider); decided && !known && !removedProviders[provider] {
				out = append(out, graded(spot(store.Ref, declaration.Pointer("/spec/provider").Child(provider),
					"provider %s is not known here: whether the store is right cannot be told", provider), secretsv1.SeverityUnknown))
			}
		}
	}
	return out
}

// knowsProvider asks the definition in the cluster, or else the one that comes
// along with what later releases added.
func (in Input) knowsProvider(store declaration.Store, provider string) (known, decided bool) {
	found, ok := in.schemaOf(store.Ref)
	if !ok {
		return false, false
	}
	if found.HasField("spec", "provider", provider) {
		return true, true
	}
	_, later := schema.Explains(store.Ref.Kind, schema.Violation{Fault: schema.Unknown, Path: []any{"spec", "provider", provider}})
	return later, true
}
