// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/gather"
)

// Waker puts Applications on the queue for reasons that are no event of a
// watched object: a neighbour changed, or something live did.
type Waker struct {
	mu    sync.Mutex
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// start is a source: it only takes the queue.
func (w *Waker) start(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queue = queue
	return nil
}

// Wake queues Applications. Before the controller runs there is nothing to
// wake: its first pass judges all of them.
func (w *Waker) Wake(names []types.NamespacedName) {
	w.mu.Lock()
	queue := w.queue
	w.mu.Unlock()
	if queue == nil {
		return
	}
	for _, name := range names {
		queue.Add(reconcile.Request{NamespacedName: name})
	}
}

// Wiring is what the watches need beside the reconciler.
type Wiring struct {
	Waker   *Waker
	Cluster *gather.Cluster
	Options controller.Options
}

// SetupWithManager starts the watches.
func (r *ApplicationReconciler) SetupWithManager(mgr ctrl.Manager, w Wiring) error {
	definitions := &metav1.PartialObjectMetadata{}
	definitions.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition",
	})
	all := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		return r.allApplications(ctx)
	})
	doubtful := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		w.Cluster.Doubt()
		return r.allApplications(ctx)
	})
	return ctrl.NewControllerManagedBy(mgr).
		Named("secrets").
		For(&driftv1.Application{}, builder.WithPredicates(renderedChanged())).
		Owns(&secretsv1.SecretReport{}, builder.WithPredicates(onlyDeletions())).
		Watches(&secretsv1.SecretPolicy{}, all, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesMetadata(definitions, doubtful, builder.WithPredicates(definitionOfLiveKind())).
		WatchesRawSource(source.Func(w.Waker.start)).
		WithOptions(w.Options).
		Complete(r)
}

func (r *ApplicationReconciler) allApplications(ctx context.Context) []reconcile.Request {
	var apps driftv1.ApplicationList
	if err := r.List(ctx, &apps, client.UnsafeDisableDeepCopy); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "listing Applications to judge them again")
		return nil
	}
	requests := make([]reconcile.Request, len(apps.Items))
	for i := range apps.Items {
		requests[i].NamespacedName = client.ObjectKeyFromObject(&apps.Items[i])
	}
	return requests
}

// renderedChanged lets through what a judgement depends on; the rest of an
// Application's status changes with every comparison.
func renderedChanged() predicate.Predicate {
	return predicate.Funcs{
		UpdateFunc: func(e event.UpdateEvent) bool {
			before, ok := e.ObjectOld.(*driftv1.Application)
			after, alsoOK := e.ObjectNew.(*driftv1.Application)
			return ok && alsoOK &&
				(!reflect.DeepEqual(before.Status.Rendered, after.Status.Rendered) ||
					before.Spec.Path != after.Spec.Path ||
					!reflect.DeepEqual(before.Spec.Render, after.Spec.Render) ||
					!reflect.DeepEqual(before.Spec.Destination, after.Spec.Destination))
		},
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// onlyDeletions restores a page that somebody deleted. Our own writes are no
// reason to look again.
func onlyDeletions() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// definitionOfLiveKind notices when an operator is installed or removed.
func definitionOfLiveKind() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(o client.Object) bool { return gather.WatchesDefinition(o.GetName()) })
}
