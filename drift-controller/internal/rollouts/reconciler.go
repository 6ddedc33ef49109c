// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rollouts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/rollout"
)

// Index finds Applications by the rollout they name.
const Index = "spec.rollout"

// mostNames is how many names a status keeps.
const mostNames = 50

// soon is when a status that was read late is looked at again.
const soon = time.Second

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Reconciler counts how far each StageRollout has come.
type Reconciler struct{ client.Client }

// SetupWithManager wires the reconciler, and the index that it reads by.
func (r *Reconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager) error {
	if err := mgr.GetFieldIndexer().IndexField(ctx, &api.Application{}, Index, rolloutOf); err != nil {
		return err
	}
	toRollout := handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { enqueue(q, e.Object) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q queue) { enqueue(q, e.Object) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) { enqueue(q, e.ObjectOld, e.ObjectNew) },
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&api.StageRollout{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&api.Application{}, toRollout, builder.WithPredicates(counts)).
		Complete(r)
}

func rolloutOf(o client.Object) []string {
	if app, ok := o.(*api.Application); ok && app.Spec.Rollout != "" {
		return []string{app.Spec.Rollout}
	}
	return nil
}

// enqueue wakes the rollouts that Applications name: the old one too, where an
// Application leaves it.
func enqueue(q queue, objects ...client.Object) {
	for _, o := range objects {
		for _, name := range rolloutOf(o) {
			q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
		}
	}
}

// counts lets through what can change a count.
var counts = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok := e.ObjectOld.(*api.Application)
		after, also := e.ObjectNew.(*api.Application)
		return !ok || !also || before.Spec.Rollout != after.Spec.Rollout || !maps.Equal(before.Labels, after.Labels) ||
			!equality.Semantic.DeepEqual(before.Status.Stage.Granted, after.Status.Stage.Granted)
	},
}

// Changed lets through what can change a grant: another declaration, or
// another wave's turn.
var Changed = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok := e.ObjectOld.(*api.StageRollout)
		after, also := e.ObjectNew.(*api.StageRollout)
		return !ok || !also || before.Generation != after.Generation ||
			before.Status.Wave != after.Status.Wave || before.Status.ObservedGeneration != after.Status.ObservedGeneration
	},
}

// Reconcile brings one StageRollout's status up to date.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	before := &api.StageRollout{}
	if err := r.Get(ctx, req.NamespacedName, before); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var list api.ApplicationList
	if err := r.List(ctx, &list, client.MatchingFields{Index: before.Name}); err != nil {
		return ctrl.Result{}, fmt.Errorf("finding the Applications of StageRollout %s: %w", before.Name, err)
	}
	after := before.DeepCopy()
	publish(after, members(list))
	if equality.Semantic.DeepEqual(before.Status, after.Status) {
		return ctrl.Result{}, nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	err := r.Status().Patch(ctx, after, patch, client.FieldOwner(contract.DriftFieldManager))
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: soon}, nil // it was read late
	}
	return ctrl.Result{}, client.IgnoreNotFound(err)
}

func members(list api.ApplicationList) []rollout.Member {
	members := make([]rollout.Member, 0, len(list.Items))
	for _, app := range list.Items {
		m := rollout.Member{Name: app.Namespace + "/" + app.Name, Labels: app.Labels, Reach: app.Spec.Stage}
		if g := earlier(&app, app.Spec.Rollout); g != nil {
			m.Granted, m.Reach = g.Stage, g.Reach
		}
		members = append(members, m)
	}
	return members
}

// publish makes the next status of a rollout.
func publish(r *api.StageRollout, members []rollout.Member) {
	s := &r.Status
	s.ObservedGeneration = r.Generation
	ready := metav1.Condition{Type: contract.ReadyCondition, ObservedGeneration: r.Generation}
	p, err := rollout.Look(*r, members)
	if err != nil {
		ready.Status, ready.Reason, ready.Message = metav1.ConditionFalse, contract.InvalidSpecReason, err.Error()
		meta.SetStatusCondition(&s.Conditions, ready)
		return
	}
	s.Applications, s.AtTarget = int32(p.Applications), int32(p.AtTarget) //nolint:gosec // counts of API objects
	s.Wave, s.WaitsFor = p.Wave, p.WaitsFor
	s.Held = p.Held[:min(len(p.Held), mostNames)]
	ready.Status, ready.Reason = metav1.ConditionTrue, contract.SucceededReason
	ready.Message = fmt.Sprintf("%d of %d at %s", p.AtTarget, p.Applications, cmp.Or(r.Spec.Target, api.StageObserve))
	meta.SetStatusCondition(&s.Conditions, ready)
}
