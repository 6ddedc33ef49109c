// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var pushsecretStoreOrder = Rule{
	ID:          "pushsecret-store-order",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The PushSecret and its store go in one commit: its finalizer needs the store, and hangs.",
	Remedy:      "Remove the PushSecret first.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3411",
	Check:       checkPushsecretStoreOrder,
}

func checkPushsecretStoreOrder(in Input) []finding.Finding {
	var out []finding.Finding
	if in.Previous == nil {
		return nil
	}
	for _, old := range in.Previous.PushSecrets {
		if slices.ContainsFunc(in.Declared.PushSecrets, func(p declaration.PushSecret) bool { return sameObject(p.Ref, old.Ref) }) {
			continue
		}
		for _, store := range old.Stores {
			if in.hadStore(store, old.Ref.Namespace) && !in.hasStore(store, old.Ref.Namespace) {
				out = append(out, spot(old.Ref, "", "the PushSecret and store %s go in one commit: its finalizer hangs", store.Name))
			}
		}
	}
	return out
}

func (in Input) hasStore(ref declaration.StoreReference, namespace string) bool {
	return slices.ContainsFunc(in.Declared.Stores, isStore(ref, namespace))
}

func (in Input) hadStore(ref declaration.StoreReference, namespace string) bool {
	return slices.ContainsFunc(in.Previous.Stores, isStore(ref, namespace))
}

func isStore(ref declaration.StoreReference, namespace string) func(declaration.Store) bool {
	return func(store declaration.Store) bool {
		local := store.Ref.Kind == declaration.ClusterSecretStoreKind || store.Ref.Namespace == namespace
		return store.Ref.Kind == ref.KindOrDefault() && store.Ref.Name == ref.Name && local
	}
}
