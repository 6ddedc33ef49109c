// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// secretName is the place of a Secret.
type secretName struct{ namespace, name string }

// storeName is the place of a store; the namespace of a cluster store is empty.
type storeName struct{ kind, namespace, name string }

// index answers in one step what the rules ask for each object, so that a run
// stays linear in the size of the declaration.
type index struct {
	productions map[secretName][]declaration.Production
	// names of the declared Secrets by namespace, and their namespaces by name.
	names, places map[string][]string
	consumers     map[secretName][]declaration.Reference
	stores        map[storeName]declaration.Store
	labels        map[string]labels.Set
	// liveSecrets, liveTargets and liveES are what the cluster holds; targets
	// are named by the live object that writes them.
	liveSecrets map[secretName]declaration.SecretState
	liveTargets map[secretName]secretsv1.ObjectReference
	liveES      map[secretName]declaration.ExternalSecretState
	// violations of schemas, which four rules share.
	violations []violation
}

func newIndex(in Input) *index {
	x := &index{
		productions: map[secretName][]declaration.Production{},
		consumers:   map[secretName][]declaration.Reference{},
		stores:      map[storeName]declaration.Store{},
		labels:      map[string]labels.Set{},
		liveSecrets: map[secretName]declaration.SecretState{},
		liveTargets: map[secretName]secretsv1.ObjectReference{},
		liveES:      map[secretName]declaration.ExternalSecretState{},
	}
	namespaces := x.addNamespaces(in)
	for _, production := range in.Declared.Productions(namespaces) {
		x.addProduction(production)
	}
	for _, production := range in.Neighbours.Productions {
		x.addProduction(production)
	}
	for _, ref := range in.Declared.References {
		at := secretName{ref.Namespace, ref.Secret}
		x.consumers[at] = append(x.consumers[at], ref)
	}
	x.addNames()
	x.addStores(in)
	x.addLive(in.Live)
	x.violations = in.findViolations()
	return x
}

// addNamespaces joins what is live with what Git declares; Git's labels win,
// since they are what the next sync makes true.
func (x *index) addNamespaces(in Input) []declaration.Namespace {
	for _, list := range [][]declaration.Namespace{
		in.Live.Namespaces.Items, in.Neighbours.Namespaces, in.Declared.Namespaces,
	} {
		for _, namespace := range list {
			if x.labels[namespace.Name] == nil {
				x.labels[namespace.Name] = labels.Set{}
			}
			maps.Copy(x.labels[namespace.Name], namespace.Labels)
		}
	}
	var all []declaration.Namespace
	for _, name := range slices.Sorted(maps.Keys(x.labels)) {
		all = append(all, declaration.Namespace{Name: name, Labels: x.labels[name]})
	}
	return all
}

func (x *index) addProduction(p declaration.Production) {
	at := secretName{p.Namespace, p.Name}
	x.productions[at] = append(x.productions[at], p)
}

// addStores lets Git's form of a store win over the live one, and the own
// declaration over a neighbour's.
func (x *index) addStores(in Input) {
	for _, state := range in.Live.Stores.Items {
		x.stores[placeOf(state.Store)] = state.Store
	}
	for _, list := range [][]declaration.Store{in.Neighbours.Stores, in.Declared.Stores} {
		for _, store := range list {
			x.stores[placeOf(store)] = store
		}
	}
}

func placeOf(store declaration.Store) storeName {
	return storeName{store.Ref.Kind, store.Ref.Namespace, store.Ref.Name}
}

func (x *index) addLive(live Live) {
	for _, secret := range live.Secrets.Items {
		x.liveSecrets[secretName{secret.Namespace, secret.Name}] = secret
	}
	for _, es := range live.ExternalSecrets.Items {
		x.liveES[secretName{es.Ref.Namespace, es.Ref.Name}] = es
		if es.Target.Creation != declaration.CreationNone && !es.Target.Generic {
			x.liveTargets[secretName{es.Ref.Namespace, es.Target.Name}] = es.Ref
		}
	}
	for _, list := range [][]declaration.ProducerState{live.SealedSecrets.Items, live.Certificates.Items} {
		for _, state := range list {
			x.liveTargets[secretName{state.Ref.Namespace, state.Secret}] = state.Ref
		}
	}
}

// addNames lists, once, what rules ask for each dangling reference.
func (x *index) addNames() {
	x.names, x.places = map[string][]string{}, map[string][]string{}
	for at := range x.productions {
		x.names[at.namespace] = append(x.names[at.namespace], at.name)
		x.places[at.name] = append(x.places[at.name], at.namespace)
	}
	for _, lists := range []map[string][]string{x.names, x.places} {
		for _, list := range lists {
			slices.Sort(list)
		}
	}
}

// namesIn lists the Secrets that are declared in a namespace.
func (x *index) namesIn(namespace string) []string { return x.names[namespace] }

// namespacesOf lists the namespaces in which a Secret of that name is declared.
func (x *index) namespacesOf(name string) []string { return x.places[name] }

// storesNamed lists the stores that bear a name, whatever their kind.
func (x *index) storesNamed(name string) []storeName {
	return slices.SortedFunc(func(yield func(storeName) bool) {
		for at := range x.stores {
			if at.name == name && !yield(at) {
				return
			}
		}
	}, compareStores)
}

func compareStores(a, b storeName) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
}

// unreadIn finds a neighbour that may declare something in a namespace and
// could not be read.
func (in Input) unreadIn(namespace string) (UnreadNeighbour, bool) {
	for _, unread := range in.Neighbours.Unread {
		if unread.Namespace == namespace {
			return unread, true
		}
	}
	return UnreadNeighbour{}, false
}

// title names an object in a message.
func title(ref secretsv1.ObjectReference) string {
	return ref.Kind + " " + finding.Name(ref)
}

// titleOf names a production's object, with its Application where that is
// another one.
func titleOf(p declaration.Production) string {
	if p.Application == "" {
		return title(p.By)
	}
	return title(p.By) + " of Application " + p.Application
}
