// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var deletionUnsupportedProvider = Rule{
	ID:          "deletion-unsupported-provider",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Delete and Merge need a provider that tells a value that is gone from an error. This one is not known to.",
	Remedy:      "Use Retain.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1867",
	Check:       checkDeletionUnsupportedProvider,
}

func checkDeletionUnsupportedProvider(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if es.Target.Deletion == declaration.DeletionRetain {
			return nil
		}
		provider := in.providerOf(es)
		if provider == "" || signalsMissing[provider] {
			return nil
		}
		return one(spot(es.Ref, es.Target.At.Child("deletionPolicy"), "provider %s is not known to tell a missing value from an error, which %s needs", provider, es.Target.Deletion))
	})
}

// signalsMissing are providers with an answer of its own for a value that is
// not there, as the stability table of the operator lists them.
var signalsMissing = map[string]bool{
	"aws": true, "vault": true, "gcpsm": true, "azurekv": true, "kubernetes": true, "ibm": true, "onepassword": true, "onepasswordSDK": true,
	"gitlab": true, "oracle": true, "akeyless": true, "doppler": true, "fake": true, "yandexlockbox": true, "yandexcertificatemanager": true,
	"scaleway": true, "conjur": true, "pulumi": true, "bitwardensecretsmanager": true, "infisical": true, "github": true, "webhook": true,
}

// providerOf is the provider of the store that an ExternalSecret names.
func (in Input) providerOf(es declaration.ExternalSecret) string {
	at := storeName{kind: es.Store.KindOrDefault(), name: es.Store.Name}
	if at.kind == declaration.SecretStoreKind {
		at.namespace = es.Ref.Namespace
	}
	if store := in.index.stores[at]; len(store.Providers) == 1 {
		return store.Providers[0]
	}
	return ""
}
