// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/tools/pager"

	"github.com/holdfast-gitops/holdfast/api/contract"
)

// dryRunner sends the only requests of this package that have a write verb.
// It can ask what would be stored and can store nothing: there is no way to
// call it without the dry run.
type dryRunner struct {
	client  dynamic.Interface
	slots   slots
	timeout time.Duration
}

// apply asks what a server-side apply of the object would store. By force: a
// conflict is no reason to know less, and nobody loses a field in a dry run.
func (d dryRunner) apply(ctx context.Context, r Resource, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	force := true
	return d.patch(ctx, r, obj, patch{kind: types.ApplyPatchType, body: obj.Object, force: &force})
}

// replace asks what would be stored if the live object were replaced by this
// one: what live has beyond it goes, defaults come anew, and what the server
// has allocated stays. It is a patch of the whole object, since an account
// that may patch need not have the right to update.
func (d dryRunner) replace(ctx context.Context, r Resource, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	whole := []map[string]any{{"op": "replace", "path": "", "value": obj.Object}}
	return d.patch(ctx, r, obj, patch{kind: types.JSONPatchType, body: whole})
}

type patch struct {
	kind  types.PatchType
	body  any
	force *bool
}

func (d dryRunner) patch(ctx context.Context, r Resource, obj *unstructured.Unstructured, p patch) (*unstructured.Unstructured, error) {
	body, err := json.Marshal(p.body)
	if err != nil {
		return nil, fmt.Errorf("encoding %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	if err := d.slots.take(ctx); err != nil {
		return nil, err
	}
	defer d.slots.free()
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	return at(d.client, r, obj.GetNamespace()).Patch(ctx, obj.GetName(), p.kind, body, metav1.PatchOptions{
		DryRun:       []string{metav1.DryRunAll},
		FieldManager: contract.DriftFieldManager,
		Force:        p.force,
	})
}

// reviewer asks RBAC what its own account may do. A review is created and
// never stored.
type reviewer struct {
	client  authorization.SelfSubjectAccessReviewInterface
	slots   slots
	timeout time.Duration
}

// may says whether the account holds a verb on the resource that marks
// observers, in a namespace.
func (v reviewer) may(ctx context.Context, namespace, verb string) (bool, error) {
	if err := v.slots.take(ctx); err != nil {
		return false, err
	}
	defer v.slots.free()
	ctx, cancel := context.WithTimeout(ctx, v.timeout)
	defer cancel()
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: contract.ObserverGroup, Resource: contract.ObserverResource, Namespace: namespace, Verb: verb,
		},
	}}
	answer, err := v.client.Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}

// reader sends reads.
type reader struct {
	client  dynamic.Interface
	slots   slots
	timeout time.Duration
}

func (g reader) get(ctx context.Context, r Resource, namespace, name string) (*unstructured.Unstructured, error) {
	if err := g.slots.take(ctx); err != nil {
		return nil, err
	}
	defer g.slots.free()
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	return at(g.client, r, namespace).Get(ctx, name, metav1.GetOptions{})
}

// pageSize keeps one answer small, whatever the cluster holds.
const pageSize = 500

// list gives the objects of a kind to the function, page by page.
func (g reader) list(ctx context.Context, r Resource, namespace string, o metav1.ListOptions, each func(*unstructured.Unstructured)) error {
	p := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return g.page(ctx, r, namespace, o)
	})
	p.PageSize = pageSize
	return p.EachListItem(ctx, o, func(obj runtime.Object) error {
		if o, ok := obj.(*unstructured.Unstructured); ok {
			each(o)
		}
		return nil
	})
}

func (g reader) page(ctx context.Context, r Resource, namespace string, o metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	if err := g.slots.take(ctx); err != nil {
		return nil, err
	}
	defer g.slots.free()
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	return at(g.client, r, namespace).List(ctx, o)
}

func at(client dynamic.Interface, r Resource, namespace string) dynamic.ResourceInterface {
	if r.Namespaced {
		return client.Resource(r.Path).Namespace(namespace)
	}
	return client.Resource(r.Path)
}

// listMetadata gives the metadata of each object of a kind to the function.
func (c *Cluster) listMetadata(ctx context.Context, r Resource, namespace string, o metav1.ListOptions, each func(*metav1.PartialObjectMetadata)) error {
	p := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return c.metadataPage(ctx, r, namespace, o)
	})
	p.PageSize = pageSize
	return p.EachListItem(ctx, o, func(obj runtime.Object) error {
		if m, ok := obj.(*metav1.PartialObjectMetadata); ok {
			each(m)
		}
		return nil
	})
}

func (c *Cluster) metadataPage(ctx context.Context, r Resource, namespace string, o metav1.ListOptions) (runtime.Object, error) {
	if err := c.reads.take(ctx); err != nil {
		return nil, err
	}
	defer c.reads.free()
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	return c.metadata.Resource(r.Path).Namespace(namespace).List(ctx, o)
}
