// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package installation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
)

// kept are kinds that stay unless the namespace or the CRDs go too: the volume
// holds the key of every digest, and the namespace what people put there.
var kept = []string{"Namespace", "PersistentVolumeClaim", "CustomResourceDefinition"}

// Removal is what an uninstall takes away.
type Removal struct {
	// CRDs deletes Holdfast's own kinds, and with them every Application,
	// report and inventory. Flux's stay in any case.
	CRDs bool
	// Namespace deletes the namespace with everything in it.
	Namespace bool
}

// Lists says what would be deleted, in that order.
func (r Removal) Lists(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, u := range slices.Backward(objects) {
		flux := strings.HasSuffix(u.GetName(), ".source.toolkit.fluxcd.io")
		switch {
		case u.GetKind() == "CustomResourceDefinition" && (!r.CRDs || flux):
		case slices.Contains(kept[:2], u.GetKind()) && !r.Namespace:
		default:
			all = append(all, u)
		}
	}
	return all
}

// Remove deletes an install. Managed objects are none of its business: with
// nobody left to judge them they stay as they are.
func (c Cluster) Remove(ctx context.Context, objects []*unstructured.Unstructured, r Removal, progress func(string)) error {
	if r.CRDs {
		if err := c.refuseDeletions(ctx); err != nil {
			return err
		}
	}
	all := r.Lists(objects)
	crds := func(u *unstructured.Unstructured) bool {
		return slices.Contains([]string{"CustomResourceDefinition", "Namespace"}, u.GetKind())
	}
	for _, u := range all {
		if crds(u) {
			continue
		}
		if err := c.Writer.Delete(ctx, u); err != nil {
			return err
		}
	}
	progress("controllers, rights and policies are gone")
	// From here on nobody serves finalizers.
	if err := c.release(ctx, r); err != nil {
		return err
	}
	for _, u := range all {
		if !crds(u) {
			continue
		}
		if err := c.Writer.Delete(ctx, u); err != nil {
			return err
		}
		if err := c.gone(ctx, u); err != nil {
			return err
		}
		progress(u.GetKind() + " " + u.GetName() + " is gone")
	}
	return nil
}

// gone waits until an object is no more: what is in a namespace or of a kind goes
// before it, and an install on top of half of that fails.
func (c Cluster) gone(ctx context.Context, u *unstructured.Unstructured) error {
	const patience = 2 * time.Minute
	what := u.GetKind() + " " + u.GetName() + " to be gone"
	return c.Await(ctx, patience, what, func(ctx context.Context) (cluster.Seen, error) {
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(u.GroupVersionKind())
		err := c.Get(ctx, u.GetNamespace(), u.GetName(), live)
		if cluster.IsKind(err, cluster.NotFound) {
			return cluster.Seen{Done: true}, nil
		}
		return cluster.Seen{Word: "something in it has a finalizer: kubectl describe " + strings.ToLower(u.GetKind()) + " " + u.GetName() + " tells what"}, err
	})
}

// refuseDeletions: deleting the kinds deletes every Application, and one with
// deletionPolicy Prune would wait for ever for objects to be deleted.
func (c Cluster) refuseDeletions(ctx context.Context) error {
	var apps v1alpha1.ApplicationList
	if err := c.List(ctx, &apps); cluster.IsKind(err, cluster.NotInstalled) {
		return nil
	} else if err != nil {
		return err
	}
	var names []string
	for _, a := range apps.Items {
		if a.Spec.DeletionPolicy == v1alpha1.DeletionPrune {
			names = append(names, a.Namespace+"/"+a.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &cluster.Fault{Kind: cluster.Refused,
		What: fmt.Sprintf("%d Applications have deletionPolicy Prune, and an uninstall deletes no managed object: %s", len(names), strings.Join(names, ", ")),
		Next: "Set spec.deletionPolicy: Keep on them first, or delete them and wait until their objects are gone."}
}

// release takes the finalizers of our controllers off objects that are about to
// go with their namespace or kind.
func (c Cluster) release(ctx context.Context, r Removal) error {
	if !r.CRDs && !r.Namespace {
		return nil
	}
	in := client.InNamespace("")
	if !r.CRDs {
		in = client.InNamespace(manifests.Namespace)
	}
	lists := []client.ObjectList{&v1alpha1.ApplicationList{}, &v1alpha1.BreakGlassList{}}
	for _, list := range lists {
		if err := c.releaseAll(ctx, list, in); err != nil {
			return err
		}
	}
	if !r.Namespace {
		return nil
	}
	for _, list := range []client.ObjectList{&sourcev1.GitRepositoryList{}, &sourcev1.OCIRepositoryList{}} {
		if err := c.releaseAll(ctx, list, client.InNamespace(manifests.Namespace)); err != nil {
			return err
		}
	}
	return nil
}

func (c Cluster) releaseAll(ctx context.Context, list client.ObjectList, in client.ListOption) error {
	if err := c.List(ctx, list, in); cluster.IsKind(err, cluster.NotInstalled) {
		return nil
	} else if err != nil {
		return err
	}
	return eachItem(list, func(o client.Object) error {
		if len(o.GetFinalizers()) == 0 {
			return nil
		}
		return c.Writer.Merge(ctx, o, map[string]any{"metadata": map[string]any{"finalizers": nil}})
	})
}

func eachItem(list client.ObjectList, do func(client.Object) error) error {
	return apimeta.EachListItem(list, func(o runtime.Object) error {
		object, ok := o.(client.Object)
		if !ok {
			return nil
		}
		return do(object)
	})
}
