// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/clocks"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/metrics"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/publish"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/renders"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/status"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
)

// +kubebuilder:rbac:groups=drift.holdfast.dev,resources=applications;projects;stagerollouts;approvals;breakglasses,verbs=get;list;watch
// +kubebuilder:rbac:groups=drift.holdfast.dev,resources=applications/status;driftreports/status;inventories/status;stagerollouts/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=drift.holdfast.dev,resources=applications/finalizers,verbs=update
// +kubebuilder:rbac:groups=drift.holdfast.dev,resources=driftreports;inventories,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=secrets.holdfast.dev,resources=secretreports,verbs=get;list;watch
// +kubebuilder:rbac:groups=source.toolkit.fluxcd.io,resources=gitrepositories;ocirepositories,verbs=get;list;watch
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;mutatingadmissionpolicies;mutatingadmissionpolicybindings;validatingadmissionpolicies;validatingadmissionpolicybindings,verbs=get;list;watch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get;list;watch
// +kubebuilder:rbac:groups="";events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=holdfast-system,resources=leases,verbs=get;create;update;patch

// Reconciler reconciles Applications: it compares, reports, plans, and hands the
// plan to the one writer.
type Reconciler struct {
	client.Client
	Writes  *Writes
	Cluster *observe.Cluster
	Renders *renders.Cache
	Pages   *publish.Pages
	Hub     *watch.Hub
	Events  record.EventRecorder
	Metrics *metrics.Drift
	Mask    mask.Key
	Clock   *clocks.Clock
	// MaxAge bounds how old the judgement of an unchanged object may be.
	MaxAge time.Duration

	apps applications
}

// applications is what is kept between runs.
type applications struct {
	running   sync.Map // types.NamespacedName -> *application
	busy      sync.Map // types.NamespacedName -> true while a run is under way
	lastWrite sync.Map // types.NamespacedName -> time.Time of the last status write
	declared  sync.Map // types.NamespacedName -> desired.Set of the last whole render
}

// otherThan names an application beside this one that declares an object.
func (a *applications) otherThan(app types.NamespacedName, id manifest.ID) string {
	found := ""
	a.declared.Range(func(name, set any) bool {
		if name != app && set.(desired.Set).Declares(id) { //nolint:forcetypeassert // nothing else is stored
			found = fmt.Sprint(name)
		}
		return found == ""
	})
	return found
}

type queue = workqueue.TypedRateLimitingInterface[ctrl.Request]

// Reconcile brings one Application's status up to date.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	app := &api.Application{}
	if err := r.Get(ctx, req.NamespacedName, app); err != nil {
		if client.IgnoreNotFound(err) == nil {
			r.forget(req.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !app.DeletionTimestamp.IsZero() {
		return r.end(ctx, app)
	}
	known := r.application(req.NamespacedName)
	known.Lock()
	defer known.Unlock()
	known.last.catchUp(app)
	r.apps.busy.Store(req.NamespacedName, true)
	defer r.apps.busy.Delete(req.NamespacedName)

	present := r.Clock.Times()
	now := present.Now
	facts, err := r.run(ctx, app, known, present)
	facts.Halt = status.Halted(err, contract.ObservationReason)
	if ctx.Err() != nil {
		return ctrl.Result{}, ctx.Err() // shutting down is no news about the application
	}
	err = r.publish(ctx, app, known, facts, now)
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: gathering}, nil // the application was changed meanwhile
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	return r.next(app, facts, known)
}

// written is the last status that was written, and the resourceVersion that it
// made.
type written struct {
	version string
	status  *api.ApplicationStatus
}

// catchUp gives an application that the watch cache delivered late the status
// that we know it has: compared with an older one, news would look like none.
func (w written) catchUp(app *api.Application) {
	if w.status == nil {
		return
	}
	if order, err := resourceversion.CompareResourceVersion(app.ResourceVersion, w.version); err == nil && order < 0 {
		app.ResourceVersion, app.Status = w.version, *w.status.DeepCopy()
	}
}

// publish writes the status if a reader would notice, or if the last one is
// about to grow stale.
func (r *Reconciler) publish(ctx context.Context, app *api.Application, known *application, facts status.Facts, now time.Time) error {
	before := app.DeepCopy()
	app.Status = status.Make(app, facts, now)
	r.Metrics.Set(client.ObjectKeyFromObject(app), app.Status, now)
	if facts.Compared != nil {
		r.Metrics.Fought(client.ObjectKeyFromObject(app), len(facts.Doing.Contested), facts.Doing.Until)
	}
	if status.Same(before.Status, app.Status) && !due(before, now) {
		return nil
	}
	if equality.Semantic.DeepEqual(before.Status, app.Status) {
		return nil
	}
	// Without the lock, a patch made against an old status would leave fields of
	// the newer one standing.
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Status().Patch(ctx, app, patch, client.FieldOwner(contract.DriftFieldManager)); err != nil {
		return client.IgnoreNotFound(err)
	}
	known.last.written = written{version: app.ResourceVersion, status: app.Status.DeepCopy()}
	r.apps.lastWrite.Store(client.ObjectKeyFromObject(app), r.Clock.Now())
	r.Metrics.Moved(client.ObjectKeyFromObject(app), before.Status.Stage.Effective, app.Status.Stage.Effective)
	r.announce(before, app, known)
	return nil
}

// due says whether the verdict's time has to be written anew, so that a reader
// goes on believing it.
func due(app *api.Application, now time.Time) bool {
	c := app.Status.Compared
	return c == nil || now.Sub(c.Time.Time) >= status.Interval(app)
}

// next says when to look again if no event comes first.
func (r *Reconciler) next(app *api.Application, facts status.Facts, known *application) (ctrl.Result, error) {
	h := facts.Halt
	switch {
	case facts.Suspended, h != nil && h.Kind == halt.Stalled:
		return ctrl.Result{}, nil
	case h != nil && h.Kind == halt.Wait && h.After > 0:
		return ctrl.Result{RequeueAfter: h.After}, nil
	case h != nil && h.Kind == halt.Wait:
		return ctrl.Result{RequeueAfter: status.Interval(app)}, nil
	case h != nil:
		known.failures++
		return ctrl.Result{RequeueAfter: backoff(known.failures)}, nil
	}
	known.failures = 0
	after := min(status.Interval(app), lookAgain)
	if soon := known.acting.soon; soon > 0 {
		after = min(after, soon)
	}
	return ctrl.Result{RequeueAfter: after}, nil
}

// lookAgain is how often an application is walked without an event: it costs
// no request unless an object's status moved on, a judgement grew old or
// something could not be judged.
const lookAgain = 20 * time.Second

// backoff doubles from one second to a cap, for ever.
func backoff(failures int) time.Duration {
	const longest = 2 * time.Minute
	return min(time.Second<<min(failures-1, 10), longest)
}

func (r *Reconciler) application(name types.NamespacedName) *application {
	known, _ := r.apps.running.LoadOrStore(name, newApplication())
	return known.(*application) //nolint:forcetypeassert // nothing else is stored
}

func (r *Reconciler) forget(name types.NamespacedName) {
	r.apps.running.Delete(name)
	r.apps.lastWrite.Delete(name)
	r.apps.declared.Delete(name)
	r.Hub.Release(name.String())
	r.Renders.Forget(name)
	r.Pages.Drop(name)
	r.Metrics.Forget(name)
}

// announce sends an event where the verdict changed; the report has the rest.
func (r *Reconciler) announce(before, after *api.Application, known *application) {
	for _, e := range eventsOf(before, after, known.last.fresh) {
		kind := corev1.EventTypeNormal
		if e.warning {
			kind = corev1.EventTypeWarning
		}
		r.Events.AnnotatedEventf(after, e.annotations, kind, e.reason, "%s", e.message)
	}
}
