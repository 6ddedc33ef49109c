// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeProviderRemoved = Rule{
	ID:          "store-provider-removed",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The provider existed in external-secrets.io/v1beta1 only; v1 has dropped it.",
	Remedy:      "Move the values to a provider that exists.",
	Source:      "https://external-secrets.io/latest/introduction/stability-support/",
	Check:       checkStoreProviderRemoved,
}

func checkStoreProviderRemoved(in Input) []finding.Finding {
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		for _, provider := range store.Providers {
			if removedProviders[provider] && strings.HasSuffix(store.Ref.APIVersion, "/v1") {
				out = append(out, spot(store.Ref, declaration.Pointer("/spec/provider").Child(provider), "provider %s was dropped with v1", provider))
			}
		}
	}
	return out
}

var removedProviders = map[string]bool{"alibaba": true, "device42": true}
