// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package installation puts an install into a cluster, and takes it out.
//
// In: rendered objects and who owns them. Out: objects applied and ready, or a
// Fault. It looks before it writes: what another installation owns is refused
// whole, with nothing half done.
//
// It never touches a managed object, never replaces Flux's CRDs, and never
// deletes a CRD unasked.
package installation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
	"github.com/holdfast-gitops/holdfast/cli/internal/writer"
)

// OwnerAnnotation on the namespace says how the install came to be: "install",
// or "bootstrap URL//PATH".
const OwnerAnnotation = "holdfast.dev/installed-by"

// ByInstall is the owner of what "holdfast install" makes.
const ByInstall = "install"

var crdKind = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}

// Cluster is where it goes.
type Cluster struct {
	*cluster.Cluster
	Writer *writer.Writer
}

// Connect makes one.
func Connect(c *cluster.Cluster) (Cluster, error) {
	w, err := writer.New(c)
	return Cluster{c, w}, err
}

// Found is what a cluster holds before an install.
type Found struct {
	// Owner of an install that is there; "" is none, "?" one that nobody signed.
	Owner string
	// SourceKinds says that Flux's CRDs are there and somebody else's.
	SourceKinds bool
	// Fetchers are other source-controllers, as NAMESPACE/NAME.
	Fetchers []string
}

// Look reads what stands in the way. It needs no more than get and list.
func (c Cluster) Look(ctx context.Context) (Found, error) {
	var f Found
	var ns corev1.Namespace
	err := c.Get(ctx, "", manifests.Namespace, &ns)
	if err != nil && !cluster.IsKind(err, cluster.NotFound) {
		return f, err
	}
	f.Owner = ns.Annotations[OwnerAnnotation]
	var deployments appsv1.DeploymentList
	if err := c.List(ctx, &deployments); err != nil {
		return f, err
	}
	for _, d := range deployments.Items {
		mine := d.Namespace == manifests.Namespace
		if mine && slices.Contains(manifests.Components(), d.Name) && f.Owner == "" {
			f.Owner = "?"
		}
		if !mine && d.Name == manifests.Source {
			f.Fetchers = append(f.Fetchers, d.Namespace+"/"+d.Name)
		}
	}
	f.SourceKinds, err = c.foreignSourceKinds(ctx)
	return f, err
}

// foreignSourceKinds: a CRD of Flux's that is there stays as it is, unless an
// install of ours made it. One that does not serve what we need is an error.
func (c Cluster) foreignSourceKinds(ctx context.Context) (bool, error) {
	for _, name := range []string{"gitrepositories.source.toolkit.fluxcd.io", "ocirepositories.source.toolkit.fluxcd.io"} {
		crd := &unstructured.Unstructured{}
		crd.SetGroupVersionKind(crdKind)
		err := c.Get(ctx, "", name, crd)
		if cluster.IsKind(err, cluster.NotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		if ours(crd) {
			continue
		}
		if !serves(crd, "v1") {
			return false, &cluster.Fault{Kind: cluster.Refused, What: "the CRD " + name + " is there and does not serve v1",
				Next: "It is of an older Flux. Upgrade Flux (2.6 or later), or delete the CRD if nothing uses it."}
		}
		return true, nil
	}
	return false, nil
}

func ours(o client.Object) bool {
	return slices.ContainsFunc(o.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool {
		return f.Manager == writer.FieldManager && f.Subresource == ""
	})
}

func serves(crd *unstructured.Unstructured, version string) bool {
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	return slices.ContainsFunc(versions, func(v any) bool {
		m, _ := v.(map[string]any)
		return m["name"] == version && m["served"] == true
	})
}

// Refuse says why an install by this owner may not go on.
func (f Found) Refuse(owner string, components []string, force bool) error {
	switch {
	case f.Owner == "?" && !force:
		return &cluster.Fault{Kind: cluster.Refused,
			What: "namespace " + manifests.Namespace + " has controllers of Holdfast that this command did not install (kubectl, Helm or another tool did)",
			Next: "Go on with that tool, or take them over with --force."}
	case f.Owner != "" && f.Owner != "?" && f.Owner != owner && (!force || owner == ByInstall):
		return &cluster.Fault{Kind: cluster.Refused, What: "namespace " + manifests.Namespace + " belongs to another installation: " + f.Owner,
			Next: nextFor(f.Owner)}
	case len(f.Fetchers) > 0 && slices.Contains(components, manifests.Source):
		return &cluster.Fault{Kind: cluster.Refused,
			What: "there is another source-controller, " + strings.Join(f.Fetchers, ", ") + ", and two on the same objects undo each other",
			Next: "Leave ours out: --components drift-controller,secrets-controller. Or take the other away first."}
	}
	return nil
}

func nextFor(owner string) string {
	if owner == ByInstall {
		return "It was made with holdfast install. To hand it over to Git, run holdfast bootstrap with --force."
	}
	return "Change it in its repository, or by running the same holdfast bootstrap again. To move it, run holdfast uninstall first (no managed object is deleted)."
}

// Apply applies objects in order and waits for new kinds to be served.
func (c Cluster) Apply(ctx context.Context, objects []*unstructured.Unstructured, progress func(string)) error {
	waited := false
	for i, u := range objects {
		if u.GetKind() != "CustomResourceDefinition" && !waited {
			waited = true
			if err := c.served(ctx, objects[:i]); err != nil {
				return err
			}
		}
		if err := c.applyOne(ctx, u); err != nil {
			return err
		}
	}
	progress(fmt.Sprintf("%d objects applied", len(objects)))
	return nil
}

const patience = 30 * time.Second

// applyOne tries again while a kind that was just made is not served yet.
func (c Cluster) applyOne(ctx context.Context, u *unstructured.Unstructured) error {
	what := u.GetKind() + " " + u.GetName()
	return c.Await(ctx, patience, what, func(ctx context.Context) (cluster.Seen, error) {
		err := c.Writer.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), true)
		if apimeta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			return cluster.Seen{Word: err.Error()}, nil
		}
		return cluster.Seen{Done: err == nil}, c.Explain(err, "applying "+what)
	})
}

func (c Cluster) served(ctx context.Context, crds []*unstructured.Unstructured) error {
	for _, crd := range crds {
		err := c.Await(ctx, patience, "the kind "+crd.GetName(), func(ctx context.Context) (cluster.Seen, error) {
			live := &unstructured.Unstructured{}
			live.SetGroupVersionKind(crdKind)
			if err := c.Get(ctx, "", crd.GetName(), live); err != nil {
				return cluster.Seen{}, err
			}
			return cluster.Seen{Done: isTrue(live, "Established"), Word: "it is not established"}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func isTrue(o *unstructured.Unstructured, condition string) bool {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	return slices.ContainsFunc(all, func(c any) bool {
		m, _ := c.(map[string]any)
		return m["type"] == condition && m["status"] == "True"
	})
}

// Wait waits until the controllers are ready.
func (c Cluster) Wait(ctx context.Context, components []string, timeout time.Duration) error {
	for _, name := range components {
		err := c.Await(ctx, timeout, "Deployment "+name, func(ctx context.Context) (cluster.Seen, error) {
			var d appsv1.Deployment
			if err := c.Get(ctx, manifests.Namespace, name, &d); err != nil {
				return cluster.Seen{}, err
			}
			ready, word := Ready(&d)
			return cluster.Seen{Done: ready, Word: word}, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Ready says whether a Deployment runs as declared, or what it lacks.
func Ready(d *appsv1.Deployment) (bool, string) {
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	switch {
	case d.Status.ObservedGeneration != d.Generation:
		return false, "its change was not looked at yet"
	case d.Status.UpdatedReplicas < wanted || d.Status.AvailableReplicas < wanted:
		return false, fmt.Sprintf("%d of %d pods are available: kubectl -n %s describe pods -l app.kubernetes.io/name=%s tells why",
			d.Status.AvailableReplicas, wanted, d.Namespace, d.Name)
	default:
		return true, fmt.Sprintf("%d of %d pods are available", d.Status.AvailableReplicas, wanted)
	}
}
