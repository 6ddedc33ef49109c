// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	helper "github.com/fluxcd/pkg/runtime/controller"
	"github.com/fluxcd/pkg/runtime/jitter"
	"github.com/fluxcd/pkg/runtime/patch"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/store"
)

// cacheLag is how long after a pass its own status write may be missing from
// the watch cache; an object looked at again that soon is read directly.
const cacheLag = 5 * time.Second

// reconciler runs the passes of one kind.
type reconciler[T object] struct {
	client  client.Client // reads of the cache
	direct  client.Client // reads of the API server, for what must not be stale
	events  record.EventRecorder
	metrics helper.Metrics
	store   *store.Store
	kind    kind[T]
	manager string // the field manager
	waiting time.Duration
	now     func() time.Time

	mu    sync.Mutex
	ended map[types.NamespacedName]time.Time
}

// Reconcile makes one pass over one source.
func (r *reconciler[T]) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	start := r.now()
	obj, err := r.read(ctx, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	defer func() { r.metrics.RecordDuration(ctx, obj, start) }()
	patcher := patch.NewSerialPatcher(obj, r.direct)

	if !obj.GetDeletionTimestamp().IsZero() {
		return ctrl.Result{}, r.delete(ctx, obj, patcher)
	}
	// The finalizer goes on before anything is stored that it has to clean up.
	if controllerutil.AddFinalizer(obj, sourcev1.SourceFinalizer) {
		if err := patcher.Patch(ctx, obj, r.patchOptions()...); err != nil {
			return ctrl.Result{}, err
		}
	}
	if r.kind.suspended(obj) {
		ctrl.LoggerFrom(ctx).Info("reconciliation is suspended for this object")
		r.handled(obj)
		r.wrote(obj)
		status.Suspended(obj)
		return ctrl.Result{}, r.write(ctx, obj, patcher, r.seen(obj)...)
	}
	p := &pass[T]{reconciler: r, obj: obj, before: obj.DeepCopyObject().(T), patcher: patcher}
	failure := p.run(ctx)
	return r.finish(ctx, p, failure)
}

// seen advances the observed generation of an object that has been judged once.
func (r *reconciler[T]) seen(obj T) []patch.Option {
	if len(obj.GetConditions()) == 0 {
		return nil
	}
	return []patch.Option{patch.WithStatusObservedGeneration{}}
}

// finish writes what the pass found out, tells people, and says when to look
// again.
func (r *reconciler[T]) finish(ctx context.Context, p *pass[T], failure *status.Failure) (ctrl.Result, error) {
	p.facts.Failure = failure
	written := slices.Clone(p.obj.GetConditions())
	status.Finish(p.obj, p.facts)
	r.handled(p.obj)
	var options []patch.Option
	if status.Observed(p.facts) {
		options = append(options, patch.WithStatusObservedGeneration{})
	}
	if err := r.writeArtifact(ctx, p, written, options); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.write(ctx, p.obj, p.patcher, options...); err != nil {
		return ctrl.Result{}, err
	}
	if !equality.Semantic.DeepEqual(p.before, p.obj) {
		r.wrote(p.obj)
	}
	p.notify(ctx)
	return r.next(p.obj, failure)
}

// next maps how a pass ended to when the next one begins.
func (r *reconciler[T]) next(obj T, failure *status.Failure) (ctrl.Result, error) {
	if failure == nil {
		return ctrl.Result{RequeueAfter: jitter.JitteredIntervalDuration(obj.GetRequeueAfter())}, nil
	}
	switch failure.Halt.Kind {
	case halt.Stalled:
		return ctrl.Result{}, nil
	case halt.Wait:
		after := failure.Halt.After
		if after == 0 {
			after = r.waiting
		}
		return ctrl.Result{RequeueAfter: after}, nil
	default:
		return ctrl.Result{}, failure.Halt
	}
}

// delete removes what is stored and then lets the object go. A failure keeps
// the finalizer, so that it is tried again.
func (r *reconciler[T]) delete(ctx context.Context, obj T, patcher *patch.SerialPatcher) error {
	if !controllerutil.ContainsFinalizer(obj, sourcev1.SourceFinalizer) {
		return nil
	}
	removed, err := r.store.Forget(r.kind.name(), obj)
	if err != nil {
		r.warn(obj, "GarbageCollectionFailed", "garbage collection for deleted resource failed: "+err.Error())
		return err
	}
	if removed {
		r.trace(obj, "GarbageCollectionSucceeded", "garbage collected artifacts for deleted resource")
	}
	controllerutil.RemoveFinalizer(obj, sourcev1.SourceFinalizer)
	err = patcher.Patch(ctx, obj, r.patchOptions()...)
	return kerrors.FilterOut(err, apierrors.IsNotFound)
}

// read gives the object, from the cache unless a pass over it ended just now.
func (r *reconciler[T]) read(ctx context.Context, key types.NamespacedName) (T, error) {
	reader := r.client
	r.mu.Lock()
	if r.now().Sub(r.ended[key]) < cacheLag {
		reader = r.direct
	}
	r.mu.Unlock()
	obj := r.kind.empty()
	err := reader.Get(ctx, key, obj)
	if apierrors.IsNotFound(err) {
		r.mu.Lock()
		delete(r.ended, key)
		r.mu.Unlock()
	}
	return obj, err
}

// write patches the status as one more owner of it; conditions of others stay.
func (r *reconciler[T]) write(ctx context.Context, obj T, patcher *patch.SerialPatcher, options ...patch.Option) error {
	err := patcher.Patch(ctx, obj, append(r.patchOptions(), options...)...)
	// An object that was deleted meanwhile has no status to write.
	if err = kerrors.FilterOut(err, apierrors.IsNotFound); err != nil {
		return fmt.Errorf("cannot write the status: %w", err)
	}
	return nil
}

// writeArtifact writes what is new in the status ahead of the conditions, with
// those as they were written last: the patcher would write conditions first, and
// so claim for a moment to be Ready without an artifact.
func (r *reconciler[T]) writeArtifact(ctx context.Context, p *pass[T], written []metav1.Condition, options []patch.Option) error {
	if p.obj.GetArtifact() == nil {
		return nil
	}
	finished := p.obj.GetConditions()
	p.obj.SetConditions(written)
	defer p.obj.SetConditions(finished)
	return r.write(ctx, p.obj, p.patcher, options...)
}

// wrote notes that the watch cache may lag behind this object for a moment.
func (r *reconciler[T]) wrote(obj T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[client.ObjectKeyFromObject(obj)] = r.now()
}

func (r *reconciler[T]) patchOptions() []patch.Option {
	return []patch.Option{
		patch.WithOwnedConditions{Conditions: status.Owned()},
		patch.WithFieldOwner(r.manager),
	}
}

// handled notes the request that this pass answers, failed or not: whoever asked
// waits for it.
func (r *reconciler[T]) handled(obj T) {
	if asked, found := meta.ReconcileAnnotationValue(obj.GetAnnotations()); found {
		r.kind.fields(obj).requests.SetLastHandledReconcileRequest(asked)
	}
}
