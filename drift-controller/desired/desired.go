// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package desired turns rendered manifests into the complete desired set of an
// application: namespaces filled in, scopes known, and each object held
// against the limits of the application's Project.
//
// In: manifests, scopes, destination namespace, Project. Out: the set, ordered,
// with a refusal on each object that the Project does not permit, so that it is
// reported and not hidden. It marks nothing on objects and reads no cluster.
package desired

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

// Object is one desired object.
type Object struct {
	manifest.Object
	// Refusal: why the Project does not permit it; empty if it does.
	Refusal string
	// UnknownKind: discovery has no such kind, so its scope is not known.
	UnknownKind bool
	// Digest is a keyed digest of the whole object.
	Digest string

	// Both are read from the object once: a walk over an application asks for
	// them many times.
	id   manifest.ID
	kind schema.GroupVersionKind
	// text is the object as JSON, in place of the object itself.
	text []byte
}

// ID is the object's identity.
func (o Object) ID() manifest.ID { return o.id }

// GroupVersionKind is the object's.
func (o Object) GroupVersionKind() schema.GroupVersionKind { return o.kind }

// Set is a desired set in a total order.
type Set struct {
	Objects []Object
	// Namespaces that the application declares objects in, in order.
	Namespaces []string
	// Incomplete says why the set proves nothing about absence; empty if it does.
	Incomplete []string
}

// Compact keeps each object as JSON text, a fifth of its size as a tree. Full
// gives the tree back.
func (s Set) Compact() (Set, error) {
	objects := make([]Object, 0, len(s.Objects))
	for _, o := range s.Objects {
		if o.Unstructured != nil {
			text, err := o.MarshalJSON()
			if err != nil {
				return s, fmt.Errorf("encoding %s: %w", o.id, err)
			}
			o.text, o.Unstructured = text, nil
		}
		objects = append(objects, o)
	}
	s.Objects = objects
	return s, nil
}

// Full gives the whole object, decoded if the set was compacted.
func (o Object) Full() (manifest.Object, error) {
	full := o.Object
	if full.Unstructured != nil {
		return full, nil
	}
	full.Unstructured = &unstructured.Unstructured{}
	if err := full.UnmarshalJSON(o.text); err != nil {
		return full, fmt.Errorf("decoding %s: %w", o.id, err)
	}
	return full, nil
}

// Input is what a set is made of.
type Input struct {
	Manifests []manifest.Object
	Scopes    manifest.Scopes
	// Namespace of objects that name none.
	Namespace string
	// OwnNamespace is the Application's, the only one without a Project.
	OwnNamespace string
	// Project is nil for the locked-down default.
	Project *api.Project
	// Key of the objects' digests.
	Key mask.Key
}

// Make fills namespaces and applies limits. Two manifests that become the same
// object are an error that names both places.
func Make(in Input) (Set, error) {
	scopes := in.Scopes.With(manifest.ScopesFrom(in.Manifests))
	placed := make([]manifest.Object, 0, len(in.Manifests))
	unknown := map[manifest.ID]bool{}
	for _, m := range in.Manifests {
		o := m.Clone()
		namespaced, known := scopes.Of(o.GroupVersionKind().GroupKind())
		switch {
		case !known || namespaced && o.GetNamespace() == "":
			o.SetNamespace(cmp.Or(o.GetNamespace(), in.Namespace))
		case !namespaced:
			o.SetNamespace("")
		}
		unknown[o.ID()] = !known
		placed = append(placed, o)
	}
	ordered, err := manifest.NewSet(placed)
	if err != nil {
		return Set{}, err
	}
	set := Set{Incomplete: in.Scopes.Incomplete}
	for _, o := range ordered.Objects() {
		id := o.ID()
		set.Objects = append(set.Objects, Object{
			Object: o, Refusal: in.refusal(id), UnknownKind: unknown[id], Digest: in.Key.Digest(o.UnstructuredContent()),
			id: id, kind: o.GroupVersionKind(),
		})
		if ns := o.GetNamespace(); ns != "" && !slices.Contains(set.Namespaces, ns) {
			set.Namespaces = append(set.Namespaces, ns)
		}
	}
	slices.Sort(set.Namespaces)
	return set, nil
}

// Declares says whether the set has the object.
func (s Set) Declares(id manifest.ID) bool {
	_, found := slices.BinarySearchFunc(s.Objects, id, func(o Object, id manifest.ID) int { return o.id.Compare(id) })
	return found
}

func (in Input) refusal(id manifest.ID) string { return Refusal(in.Project, in.OwnNamespace, id) }

// Refusal says why a Project, or without one the locked-down default, does not
// permit an object to an Application of a namespace; empty if it does.
func Refusal(project *api.Project, ownNamespace string, id manifest.ID) string {
	if project == nil {
		return lockedDown(ownNamespace, id)
	}
	name, spec := project.Name, project.Spec
	if id.Namespace == "" {
		if permits(spec.ClusterResources, id) {
			return ""
		}
		return fmt.Sprintf("Project %s does not list %s in clusterResources", name, id.GroupKind())
	}
	switch {
	case !slices.ContainsFunc(spec.Destinations, func(d api.ProjectDestination) bool { return Matches(d.Namespace, id.Namespace) }):
		return fmt.Sprintf("Project %s does not list namespace %s in destinations", name, id.Namespace)
	case permits(spec.NamespaceResources.Deny, id):
		return fmt.Sprintf("Project %s denies %s in namespaceResources.deny", name, id.GroupKind())
	case len(spec.NamespaceResources.Allow) > 0 && !permits(spec.NamespaceResources.Allow, id):
		return fmt.Sprintf("Project %s does not list %s in namespaceResources.allow", name, id.GroupKind())
	}
	return ""
}

func lockedDown(ownNamespace string, id manifest.ID) string {
	switch id.Namespace {
	case "":
		return fmt.Sprintf("%s is cluster-scoped, which an Application without a Project may not declare", id.GroupKind())
	case ownNamespace:
		return ""
	}
	return fmt.Sprintf("an Application without a Project may declare objects in its own namespace %s only", ownNamespace)
}

func permits(selectors []api.KindSelector, id manifest.ID) bool {
	return slices.ContainsFunc(selectors, func(s api.KindSelector) bool { return Selects(s, id) })
}

// Selects says whether the selector matches the object.
func Selects(s api.KindSelector, id manifest.ID) bool {
	return (s.Group == "*" || s.Group == id.Group) && (s.Kind == "*" || s.Kind == id.Kind) &&
		(s.Name == "" || Matches(s.Name, id.Name))
}

// Matches compares a name with a pattern that may begin or end with a star.
func Matches(pattern, name string) bool {
	inner, open := strings.CutSuffix(pattern, "*")
	inner, start := strings.CutPrefix(inner, "*")
	switch {
	case open && start:
		return strings.Contains(name, inner)
	case open:
		return strings.HasPrefix(name, inner)
	case start:
		return strings.HasSuffix(name, inner)
	}
	return name == pattern
}
