// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package kinds

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Resource is a kind in one version, and how the server serves it.
type Resource struct {
	Kind       schema.GroupVersionKind
	Path       schema.GroupVersionResource
	Namespaced bool
	Verbs      []string
}

// Serves says whether the server has the verb for the kind at all.
func (r Resource) Serves(verb string) bool { return slices.Contains(r.Verbs, verb) }

// Index answers questions about kinds. The zero value knows none.
type Index struct {
	byKind map[schema.GroupVersionKind]Resource
	// versions of a kind, in the server's order of preference.
	versions map[schema.GroupKind][]string
	groups   []schema.GroupVersion
	// failed group versions, with the reason each.
	failed map[schema.GroupVersion]string
}

// New reads resource lists. They come in the server's order of preference,
// which the index keeps.
func New(lists []*metav1.APIResourceList, failed map[schema.GroupVersion]error) (Index, error) {
	x := Index{
		byKind:   map[schema.GroupVersionKind]Resource{},
		versions: map[schema.GroupKind][]string{},
		failed:   map[schema.GroupVersion]string{},
	}
	for gv, err := range failed {
		x.failed[gv] = err.Error()
	}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return Index{}, fmt.Errorf("discovery names the group version %q: %w", list.GroupVersion, err)
		}
		x.groups = append(x.groups, gv)
		for _, r := range list.APIResources {
			x.add(gv, r)
		}
	}
	return x, nil
}

func (x Index) add(gv schema.GroupVersion, r metav1.APIResource) {
	if strings.Contains(r.Name, "/") {
		return // a subresource; its kind belongs to another resource
	}
	kind := gv.WithKind(r.Kind)
	if _, known := x.byKind[kind]; known {
		return
	}
	x.byKind[kind] = Resource{Kind: kind, Path: gv.WithResource(r.Name), Namespaced: r.Namespaced, Verbs: r.Verbs}
	x.versions[kind.GroupKind()] = append(x.versions[kind.GroupKind()], gv.Version)
}

// Get finds the resource of a kind in a version.
func (x Index) Get(kind schema.GroupVersionKind) (Resource, bool) {
	r, ok := x.byKind[kind]
	return r, ok
}

// Versions that serve the kind, the preferred one first.
func (x Index) Versions(kind schema.GroupKind) []string { return x.versions[kind] }

// Incomplete gives the reason why the group cannot be told, if it cannot.
func (x Index) Incomplete(group string) (string, bool) {
	for _, gv := range sorted(x.failed) {
		if gv.Group == group {
			return gv.String() + ": " + x.failed[gv], true
		}
	}
	return "", false
}

// Scopes are those of every kind that the server serves.
func (x Index) Scopes() manifest.Scopes {
	s := manifest.Scopes{Namespaced: make(map[schema.GroupKind]bool, len(x.versions))}
	for kind, r := range x.byKind {
		s.Namespaced[kind.GroupKind()] = r.Namespaced
	}
	for _, gv := range sorted(x.failed) {
		s.Incomplete = append(s.Incomplete, gv.String()+": "+x.failed[gv])
	}
	return s
}

// APIVersions lists what Helm's capabilities hold: group versions, and kinds
// below them.
func (x Index) APIVersions() []string {
	var all []string
	for _, gv := range x.groups {
		all = append(all, gv.String())
	}
	for kind := range x.byKind {
		all = append(all, kind.GroupVersion().String()+"/"+kind.Kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Listable gives each namespaced kind that can be listed, in its preferred
// version, in a total order.
func (x Index) Listable() []Resource {
	var all []Resource
	for kind, versions := range x.versions {
		r := x.byKind[kind.WithVersion(versions[0])]
		if r.Namespaced && r.Serves("list") && r.Serves("get") {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Resource) int {
		return cmp.Or(cmp.Compare(a.Kind.Group, b.Kind.Group), cmp.Compare(a.Kind.Kind, b.Kind.Kind))
	})
	return all
}

func sorted(failed map[schema.GroupVersion]string) []schema.GroupVersion {
	return slices.SortedFunc(maps.Keys(failed), func(a, b schema.GroupVersion) int {
		return cmp.Compare(a.String(), b.String())
	})
}
