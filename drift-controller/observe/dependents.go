// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Dependents are the objects of a namespace with an owner, by the UID of it.
type Dependents struct {
	children map[types.UID][]child
	// Unlisted kinds could not be searched; Incomplete says what of discovery
	// failed, so that there may be kinds that nobody knows of.
	Unlisted   map[schema.GroupKind]bool
	Incomplete []string
}

type child struct {
	id  manifest.ID
	uid types.UID
}

// Dependents looks through all kinds that can be listed in the namespaces, by
// metadata only, for who owns whom.
func (c *Cluster) Dependents(ctx context.Context, namespaces []string) (Dependents, error) {
	x, err := c.kinds.index(ctx, settled)
	if err != nil {
		return Dependents{}, err
	}
	d := Dependents{children: map[types.UID][]child{}, Unlisted: map[schema.GroupKind]bool{}, Incomplete: x.Scopes().Incomplete}
	for _, namespace := range namespaces {
		for _, r := range x.Listable() {
			if r.Kind.Kind == "Event" {
				continue // owned by nobody, and many
			}
			err := c.listMetadata(ctx, r, namespace, metav1.ListOptions{}, func(o *metav1.PartialObjectMetadata) { d.take(r, o) })
			if ctx.Err() != nil {
				return Dependents{}, fmt.Errorf("looking for dependents in namespace %s: %w", namespace, ctx.Err())
			}
			if err != nil {
				d.Unlisted[r.Kind.GroupKind()] = true
			}
		}
	}
	return d, nil
}

func (d Dependents) take(r Resource, o *metav1.PartialObjectMetadata) {
	for _, owner := range o.OwnerReferences {
		id := manifest.ID{Group: r.Kind.Group, Kind: r.Kind.Kind, Namespace: o.Namespace, Name: o.Name}
		d.children[owner.UID] = append(d.children[owner.UID], child{id: id, uid: o.UID})
	}
}

// Of gives all that goes when the object of a UID goes: what it owns, and what
// that owns.
func (d Dependents) Of(uid types.UID) []manifest.ID {
	var all []manifest.ID
	seen := map[types.UID]bool{uid: true}
	for next := []types.UID{uid}; len(next) > 0; next = next[1:] {
		for _, c := range d.children[next[0]] {
			if !seen[c.uid] {
				seen[c.uid] = true
				all, next = append(all, c.id), append(next, c.uid)
			}
		}
	}
	return all
}

// Pods gives the pods of a namespace that have not ended.
func (c *Cluster) Pods(ctx context.Context, namespace string) ([]manifest.Object, error) {
	var found []manifest.Object
	err := c.objects.list(ctx, pods, namespace, metav1.ListOptions{}, func(pod *unstructured.Unstructured) {
		if phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase"); phase != "Succeeded" && phase != "Failed" {
			pod = pod.DeepCopy()
			pod.SetGroupVersionKind(pods.Kind)
			found = append(found, manifest.Object{Unstructured: pod})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("pods of namespace %s: %w", namespace, err)
	}
	return found, nil
}
