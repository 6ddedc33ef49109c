// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// kindTimeout bounds the wait for what the control plane does in milliseconds,
// such as serving the kinds of a new CRD, on a machine that is overloaded.
const kindTimeout = time.Minute

// ApplyFile applies the objects of a YAML file as the administrator.
func (c *Cluster) ApplyFile(ctx context.Context, path, manager string) error {
	objects, err := loadFile(path)
	if err != nil {
		return err
	}
	if len(objects) == 0 {
		return fmt.Errorf("%s: %w", path, ErrNoObjects)
	}
	return c.Apply(ctx, manager, objects...)
}

// ApplyDir applies a folder as the administrator: what Kustomize builds of it
// if it holds a kustomization, or else every YAML file in it and below.
func (c *Cluster) ApplyDir(ctx context.Context, dir, manager string) error {
	objects, err := loadDir(dir)
	if err != nil {
		return err
	}
	return c.Apply(ctx, manager, objects...)
}

// Apply applies objects server-side, as the administrator and by force, under
// the field manager given. Namespaces and CRDs go first; a kind that comes
// with a CRD of the same set is waited for. A namespaced object without a
// namespace goes to "default".
func (c *Cluster) Apply(ctx context.Context, manager string, objects ...*unstructured.Unstructured) error {
	client, err := dynamic.NewForConfig(c.admin)
	if err != nil {
		return fmt.Errorf("applying: %w", err)
	}
	disco, err := discovery.NewDiscoveryClientForConfig(c.admin)
	if err != nil {
		return fmt.Errorf("applying: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco))
	ordered := slices.Clone(objects)
	slices.SortStableFunc(ordered, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	for _, object := range ordered {
		if err := applyOne(ctx, client, mapper, manager, object); err != nil {
			return err
		}
		if rank(object) == rankCRD {
			if err := awaitServed(ctx, client, object); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	rankNamespace = iota
	rankCRD
	rankRest
)

func rank(object *unstructured.Unstructured) int {
	switch object.GroupVersionKind().GroupKind().String() {
	case "Namespace":
		return rankNamespace
	case "CustomResourceDefinition.apiextensions.k8s.io":
		return rankCRD
	}
	return rankRest
}

func applyOne(ctx context.Context, client dynamic.Interface, mapper meta.ResettableRESTMapper, manager string, object *unstructured.Unstructured) error {
	mapping, err := mappingOf(ctx, mapper, object)
	if err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	var resource dynamic.ResourceInterface = client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		namespace := object.GetNamespace()
		if namespace == "" {
			namespace = metav1.NamespaceDefault
		}
		resource = client.Resource(mapping.Resource).Namespace(namespace)
	}
	_, err = resource.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: manager, Force: true})
	if err != nil {
		return fmt.Errorf("applying %s %s/%s: %w", object.GetKind(), object.GetNamespace(), object.GetName(), err)
	}
	return nil
}

// awaitServed waits until the API server answers for every version of a CRD:
// for a moment after it is stored, requests for its objects find nothing.
func awaitServed(ctx context.Context, client dynamic.Interface, crd *unstructured.Unstructured) error {
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, entry := range versions {
		version, ok := entry.(map[string]any)
		if !ok || version["served"] != true {
			continue
		}
		resource := schema.GroupVersionResource{Group: group, Version: fmt.Sprint(version["name"]), Resource: plural}
		err := retry(ctx, func(ctx context.Context) error {
			_, err := client.Resource(resource).List(ctx, metav1.ListOptions{Limit: 1})
			return err
		})
		if err != nil {
			return fmt.Errorf("CRD %s is not served: %w", crd.GetName(), err)
		}
	}
	return nil
}

// mappingOf asks again until the kind is served: a CRD takes a moment.
func mappingOf(ctx context.Context, mapper meta.ResettableRESTMapper, object *unstructured.Unstructured) (*meta.RESTMapping, error) {
	kind := object.GroupVersionKind()
	var mapping *meta.RESTMapping
	err := retry(ctx, func(context.Context) error {
		var err error
		if mapping, err = mapper.RESTMapping(kind.GroupKind(), kind.Version); err != nil {
			mapper.Reset()
		}
		return err
	})
	return mapping, err
}

// retry calls the work until it succeeds or kindTimeout is over.
func retry(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, kindTimeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		err := work(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-tick.C:
		}
	}
}
