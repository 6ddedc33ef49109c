// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"errors"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/internal/refusal"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/admission"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/scale"
)

// Surroundings are what the objects of one application stand in: their own set,
// and what else in the cluster explains a difference. Gather makes them.
type Surroundings struct {
	// Unread evidence, with the reason each. What is missing here can make an
	// explained difference look like drift, and never the reverse.
	Unread []string

	mask        mask.Scope
	namespaces  map[string]*unstructured.Unstructured // declared in the set
	labels      map[string]map[string]string          // of live namespaces
	definitions map[schema.GroupVersionKind]string    // CRDs of the set
	scalers     map[manifest.ID][]string
	sizers      map[manifest.ID][]string
	routers     map[manifest.ID][]string
	admission   admission.Mutators
}

// Gather reads the evidence for a set of objects, once for all of them. It
// costs a few lists, kept for seconds, and always gives what it could get. The
// scope is what masks the server's words.
func (c *Cluster) Gather(ctx context.Context, objects []manifest.Object, scope mask.Scope) Surroundings {
	s := Surroundings{
		mask:       scope,
		namespaces: declaredNamespaces(objects), labels: map[string]map[string]string{},
		definitions: declaredKinds(objects),
		scalers:     map[manifest.ID][]string{}, sizers: map[manifest.ID][]string{}, routers: map[manifest.ID][]string{},
	}
	for _, obj := range objects {
		s.target(obj.Unstructured)
	}
	for _, namespace := range scalable(objects) {
		for _, kind := range scale.Kinds {
			s.note(c.each(ctx, kind, namespace, s.target))
		}
	}
	a, err := c.admission.get(ctx)
	s.admission = a.Mutators
	s.note(err)
	if s.admission.SelectsNamespaces() {
		for _, namespace := range namespacesOf(objects) {
			s.note(c.readLabels(ctx, namespace, s.labels))
		}
	}
	return s
}

// target books an autoscaler or a progressive delivery under the objects that
// it aims at. Those of the
// set count as well as those that are live.
func (s *Surroundings) target(obj *unstructured.Unstructured) {
	for _, aim := range scale.Of(obj) {
		into := map[scale.Owned]map[manifest.ID][]string{
			scale.Replicas: s.scalers, scale.Resources: s.sizers, scale.Routes: s.routers,
		}[aim.Owned]
		if !slices.Contains(into[aim.Target], aim.Scaler) {
			into[aim.Target] = append(into[aim.Target], aim.Scaler)
			slices.Sort(into[aim.Target])
		}
	}
}

// Owners names the autoscalers and deliveries of each object that has some.
func (s Surroundings) Owners() map[manifest.ID]string {
	owners := map[manifest.ID]string{}
	for _, aims := range []map[manifest.ID][]string{s.scalers, s.sizers, s.routers} {
		for id, names := range aims {
			owners[id] += strings.Join(names, ",") + ";"
		}
	}
	return owners
}

// scalable lists the namespaces in which an object of the set can be scaled or
// sized: only there is it worth asking for autoscalers.
func scalable(objects []manifest.Object) []string {
	return namespacesOf(slices.DeleteFunc(slices.Clone(objects), func(obj manifest.Object) bool {
		return !scale.Possible(obj.Unstructured)
	}))
}

func (s *Surroundings) note(err error) {
	if err == nil {
		return
	}
	words := refusal.Of(err, refusal.Hide{Scope: s.mask}).Words
	if !slices.Contains(s.Unread, words) {
		s.Unread = append(s.Unread, words)
	}
}

// maskFor is the scope for one object.
func (s Surroundings) maskFor(obj manifest.Object) mask.Scope {
	scope := s.mask
	scope.Secret = obj.GroupVersionKind().GroupKind() == schema.GroupKind{Kind: "Secret"}
	return scope
}

// namespaceLabels are those that selectors see. Of a namespace that may not be
// read only the one label is known that every namespace has.
func (s Surroundings) namespaceLabels(id manifest.ID, obj *unstructured.Unstructured) map[string]string {
	if id.GroupKind() == (schema.GroupKind{Kind: "Namespace"}) {
		return obj.GetLabels()
	}
	if known, ok := s.labels[id.Namespace]; ok {
		return known
	}
	labels := map[string]string{}
	if declared := s.namespaces[id.Namespace]; declared != nil {
		labels = declared.GetLabels()
	}
	if labels == nil {
		labels = map[string]string{}
	}
	labels[corev1.LabelMetadataName] = id.Namespace
	return labels
}

func (c *Cluster) readLabels(ctx context.Context, namespace string, into map[string]map[string]string) error {
	kind := schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}
	r, err := c.Resource(ctx, kind)
	if err != nil {
		return err
	}
	found, err := c.lists.one(namespace, func() (*unstructured.Unstructured, error) {
		return c.objects.get(ctx, r, "", namespace)
	})
	if err != nil {
		return err
	}
	into[namespace] = found.GetLabels()
	return nil
}

// each lists a kind as evidence. A kind that the server does not serve is no
// evidence and no fault.
func (c *Cluster) each(ctx context.Context, kind schema.GroupVersionKind, namespace string, take func(*unstructured.Unstructured)) error {
	r, err := c.evidenceKind(ctx, kind)
	if errors.Is(err, ErrUnknownKind) {
		return nil
	}
	if err != nil {
		return err
	}
	found, err := c.lists.many(r, namespace, func() ([]*unstructured.Unstructured, error) {
		return c.all(ctx, r, namespace)
	})
	for _, o := range found {
		take(o)
	}
	return err
}

func (c *Cluster) all(ctx context.Context, r Resource, namespace string) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	err := c.objects.list(ctx, r, namespace, metav1.ListOptions{}, func(o *unstructured.Unstructured) {
		all = append(all, o)
	})
	return all, err
}

// evidenceKind finds a kind without asking discovery anew for one that is not
// there: most clusters never have it.
func (c *Cluster) evidenceKind(ctx context.Context, kind schema.GroupVersionKind) (Resource, error) {
	x, err := c.kinds.index(ctx, settled)
	if err != nil {
		return Resource{}, err
	}
	if r, known := x.Get(kind); known && r.Serves("list") {
		return r, nil
	}
	return Resource{}, ErrUnknownKind
}

func declaredNamespaces(objects []manifest.Object) map[string]*unstructured.Unstructured {
	found := map[string]*unstructured.Unstructured{}
	for _, obj := range objects {
		if obj.GroupVersionKind().GroupKind() == (schema.GroupKind{Kind: "Namespace"}) {
			found[obj.GetName()] = obj.Unstructured
		}
	}
	return found
}

// declaredKinds are the versions that CRDs of the set will serve, and by which.
func declaredKinds(objects []manifest.Object) map[schema.GroupVersionKind]string {
	found := map[schema.GroupVersionKind]string{}
	for _, obj := range objects {
		if obj.GetKind() != "CustomResourceDefinition" {
			continue
		}
		group, _, _ := unstructured.NestedString(obj.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(obj.Object, "spec", "names", "kind")
		versions, _, _ := unstructured.NestedSlice(obj.Object, "spec", "versions")
		for _, v := range versions {
			fields, _ := v.(map[string]any)
			version, _ := fields["name"].(string)
			found[schema.GroupVersionKind{Group: group, Version: version, Kind: kind}] = obj.GetName()
		}
	}
	return found
}

// namespacesOf lists the namespaces that the objects live in.
func namespacesOf(objects []manifest.Object) []string {
	var found []string
	for _, obj := range objects {
		if namespace := obj.GetNamespace(); namespace != "" {
			found = append(found, namespace)
		}
	}
	slices.SortFunc(found, strings.Compare)
	return slices.Compact(found)
}
