// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scopes says which kinds live in namespaces, as a plain value.
type Scopes struct {
	// Namespaced has an entry for every known kind.
	Namespaced map[schema.GroupKind]bool
	// Incomplete names what discovery could not tell, such as a group whose
	// API service does not answer. Empty: a kind that is not listed does not
	// exist.
	Incomplete []string
}

// Of answers for one kind; known is false if the kind is not listed.
func (s Scopes) Of(kind schema.GroupKind) (namespaced, known bool) {
	namespaced, known = s.Namespaced[kind]
	return namespaced, known
}

// With adds what another value knows. Where both know a kind the receiver
// wins: the server's own answer goes before a CRD that is not applied yet.
func (s Scopes) With(other Scopes) Scopes {
	merged := Scopes{
		Namespaced: make(map[schema.GroupKind]bool, len(s.Namespaced)+len(other.Namespaced)),
		Incomplete: slices.Concat(s.Incomplete, other.Incomplete),
	}
	maps.Copy(merged.Namespaced, other.Namespaced)
	maps.Copy(merged.Namespaced, s.Namespaced)
	return merged
}

// ScopesFrom reads the scopes that CRDs among the objects declare, so that
// custom resources of the same set are placed before their CRD is applied.
func ScopesFrom(objects []Object) Scopes {
	scopes := Scopes{Namespaced: map[schema.GroupKind]bool{}}
	for _, object := range objects {
		if object.GroupVersionKind().GroupKind() != crdKind {
			continue
		}
		group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(object.Object, "spec", "names", "kind")
		scope, _, _ := unstructured.NestedString(object.Object, "spec", "scope")
		if kind != "" && scope != "" {
			scopes.Namespaced[schema.GroupKind{Group: group, Kind: kind}] = scope == "Namespaced"
		}
	}
	return scopes
}

var crdKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
