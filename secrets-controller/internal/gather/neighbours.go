// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// Neighbours gathers what other Applications declare where one looks. All of
// them are read first, however long ago the controller started: a judgement
// from half of the declarations would report as missing what the other half
// declares.
func (d *Declarations) Neighbours(ctx context.Context, app *driftv1.Application, all []driftv1.Application, known []declaration.Namespace) rule.Neighbours {
	d.mu.Lock()
	own := d.entries[types.NamespacedName{Namespace: app.Namespace, Name: app.Name}]
	d.mu.Unlock()
	if own == nil {
		return rule.Neighbours{}
	}
	look := view{own: own, known: map[string]labels.Set{}}
	look.learn(known)
	entries := make([]*entry, len(all))
	for i := range all {
		if isSelf(app, &all[i]) || all[i].Status.Rendered == nil {
			continue
		}
		entries[i] = d.load(ctx, &all[i], retryUnread)
		if entries[i].destination.cluster == own.destination.cluster {
			look.learn(entries[i].set.Namespaces)
			look.out.Namespaces = append(look.out.Namespaces, entries[i].set.Namespaces...)
		}
	}
	look.learn(own.set.Namespaces)
	for i, other := range entries {
		look.application = all[i].Namespace + "/" + all[i].Name
		switch {
		case other != nil:
			look.add(other)
		case !isSelf(app, &all[i]):
			look.notRendered(destinationOf(&all[i]))
		}
	}
	return look.out
}

func isSelf(app, other *driftv1.Application) bool {
	return app.Namespace == other.Namespace && app.Name == other.Name
}

// view is what one Application sees of its neighbours.
type view struct {
	own *entry
	// known labels of namespaces.
	known       map[string]labels.Set
	application string
	out         rule.Neighbours
}

// learn adds labels of namespaces; what Git declares goes over what is live.
func (v *view) learn(namespaces []declaration.Namespace) {
	for _, namespace := range namespaces {
		merged := maps.Clone(v.known[namespace.Name])
		if merged == nil {
			merged = labels.Set{}
		}
		maps.Copy(merged, namespace.Labels)
		v.known[namespace.Name] = merged
	}
}

func (v *view) looksAt(target destination) bool {
	return target.cluster == v.own.destination.cluster && slices.Contains(v.own.namespaces, target.namespace)
}

func (v *view) notRendered(target destination) {
	if v.looksAt(target) {
		v.unread(target.namespace, "it has no rendered artifact yet")
	}
}

func (v *view) unread(namespace, reason string) {
	v.out.Unread = append(v.out.Unread, rule.UnreadNeighbour{
		Application: v.application, Namespace: namespace, Reason: reason,
	})
}

func (v *view) add(other *entry) {
	if other.destination.cluster != v.own.destination.cluster {
		return
	}
	if other.failure != nil {
		if v.looksAt(other.destination) {
			v.unread(other.destination.namespace, other.failure.Error())
		}
		return
	}
	for _, namespace := range v.own.namespaces {
		for _, p := range other.productions[namespace] {
			v.production(p)
		}
	}
	for _, store := range other.set.Stores {
		if store.Ref.Namespace == "" || slices.Contains(v.own.namespaces, store.Ref.Namespace) {
			v.out.Stores = append(v.out.Stores, store)
		}
	}
	for _, c := range other.set.ConfigMaps {
		if slices.Contains(v.own.namespaces, c.Ref.Namespace) {
			v.out.ConfigMaps = append(v.out.ConfigMaps, c)
		}
	}
	v.selected(other)
}

func (v *view) production(p declaration.Production) {
	p.Application = v.application
	v.out.Productions = append(v.out.Productions, p)
}

// selected adds what the ClusterExternalSecrets of a neighbour bring into the
// namespaces at hand. Where labels decide that and are not known, the neighbour
// counts as unread there.
func (v *view) selected(other *entry) {
	for _, name := range v.own.namespaces {
		namespace := declaration.Namespace{Name: name, Labels: v.known[name]}
		for _, p := range other.set.ClusterProductions([]declaration.Namespace{namespace}) {
			v.production(p)
		}
		for _, ces := range other.set.ClusterExternalSecrets {
			if ces.Admits(name, v.known[name]) == declaration.Undecided {
				v.unread(name, fmt.Sprintf("its ClusterExternalSecret %s selects namespaces by labels, and those of %s are not known", ces.Ref.Name, name))
			}
		}
	}
}
