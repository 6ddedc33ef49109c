// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

// storeUse is one place that names a store.
type storeUse struct {
	by        secretsv1.ObjectReference
	namespace string
	ref       declaration.StoreReference
}

// storeUses lists the stores that ExternalSecrets name. A SecretStore named
// by a ClusterExternalSecret is looked for in each namespace it selects, which
// is beyond one artifact, so only its cluster stores are listed.
func (in Input) storeUses() []storeUse {
	var out []storeUse
	for _, es := range in.Declared.ExternalSecrets {
		for _, ref := range storeReferences(es.Spec) {
			out = append(out, storeUse{by: es.Ref, namespace: es.Ref.Namespace, ref: ref})
		}
	}
	for _, ces := range in.Declared.ClusterExternalSecrets {
		for _, ref := range storeReferences(ces.Spec) {
			if ref.Kind == declaration.ClusterSecretStoreKind {
				out = append(out, storeUse{by: ces.Ref, ref: ref})
			}
		}
	}
	return out
}

// storeReferences lists the stores of a body: its own, and those that single
// items are redirected to.
func storeReferences(spec declaration.Spec) []declaration.StoreReference {
	var refs []declaration.StoreReference
	if spec.Store.Name != "" {
		refs = append(refs, spec.Store)
	}
	for _, source := range itemSources(spec) {
		if source.Store != nil && source.Store.Name != "" {
			refs = append(refs, *source.Store)
		}
	}
	return refs
}

func itemSources(spec declaration.Spec) []declaration.ItemSource {
	var sources []declaration.ItemSource
	for _, item := range spec.Data {
		sources = append(sources, item.Source)
	}
	for _, item := range spec.DataFrom {
		sources = append(sources, item.Source)
	}
	return sources
}

// whereabouts is what is known about a named store.
type whereabouts int

const (
	storeFound whereabouts = iota
	// otherKind: a store of the other kind bears the name.
	otherKind
	// otherNamespace: a SecretStore of that name lives in another namespace.
	otherNamespace
	storeAbsent
	// storeUndecided: neither in Git nor known to be absent.
	storeUndecided
)

// locate finds a named store, in Git or live, and says how it was missed
// otherwise. The second result is the store that is found or stands closest.
func (in Input) locate(use storeUse) (whereabouts, storeName) {
	want := storeName{kind: use.ref.KindOrDefault(), name: use.ref.Name}
	if want.kind == declaration.SecretStoreKind {
		want.namespace = use.namespace
	}
	if _, found := in.index.stores[want]; found {
		return storeFound, want
	}
	named := in.index.storesNamed(use.ref.Name)
	reachable := func(at storeName) bool {
		return at.kind == declaration.ClusterSecretStoreKind || at.namespace == use.namespace
	}
	if i := slices.IndexFunc(named, reachable); i >= 0 {
		return otherKind, named[i]
	}
	if _, unread := in.unreadIn(use.namespace); unread {
		return storeUndecided, want
	}
	if !in.Live.Stores.Known && !in.Scope.StoresComplete {
		return storeUndecided, want
	}
	if len(named) > 0 {
		return otherNamespace, named[0]
	}
	return storeAbsent, want
}
