// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/gather"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/metrics"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/status"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// +kubebuilder:rbac:groups=drift.holdfast.dev,resources=applications,verbs=get;list;watch
// +kubebuilder:rbac:groups=secrets.holdfast.dev,resources=secretpolicies,verbs=get;list;watch
// +kubebuilder:rbac:groups=secrets.holdfast.dev,resources=secretreports,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=secrets.holdfast.dev,resources=secretreports/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=external-secrets.io,resources=externalsecrets;secretstores;clustersecretstores,verbs=get;list;watch
// +kubebuilder:rbac:groups=bitnami.com,resources=sealedsecrets,verbs=get;list;watch
// +kubebuilder:rbac:groups=cert-manager.io,resources=certificates,verbs=get;list;watch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups="";events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=holdfast-system,resources=leases,verbs=get;create;update;patch
//
// Secrets are listed as metadata only; RBAC has no word for that, so whoever
// does not want to grant it leaves this role unbound: what then cannot be told
// is reported as Unknown.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch,roleName=holdfast-secret-names

// ApplicationReconciler publishes what the rules say about one Application.
type ApplicationReconciler struct {
	client.Client
	Gatherer gather.Gatherer
	Events   record.EventRecorder
	Metrics  *metrics.Recorder
	Now      func() time.Time
	// NoStatusAfter is how long an ExternalSecret may be without a status.
	NoStatusAfter time.Duration
}

// Reconcile reads, judges and publishes.
func (r *ApplicationReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	app := &driftv1.Application{}
	if err := r.Get(ctx, req.NamespacedName, app); err != nil {
		if apierrors.IsNotFound(err) {
			// The pages go with their owner; memory has no owner.
			r.Gatherer.Declarations.Forget(req.NamespacedName)
			r.Gatherer.Sources.Forget(req.NamespacedName)
			r.Metrics.Forget(req.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !app.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil
	}
	report, err := r.report(ctx, app)
	if err != nil {
		return ctrl.Result{}, err
	}
	if app.Status.Rendered == nil {
		if len(report.pages) == 0 {
			return ctrl.Result{}, nil // nothing was ever judged: no report is the truth
		}
		return requeueOnConflict(r.unjudged(ctx, app, report, halt.Waitf(contract.ProgressingReason, 0,
			"the Application has no rendered artifact at present")))
	}
	around, err := r.around(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	around.Leaked = status.Remembered(report.statuses())
	in, err := r.Gatherer.Input(ctx, app, around)
	if err != nil {
		return requeueOnConflict(r.unjudged(ctx, app, report, haltOf(err)))
	}
	result := rule.Run(in)
	seen := status.Observation{Rendered: *app.Status.Rendered, Time: metav1.NewTime(around.Now)}
	pages := status.With(status.Pages(seen, result), status.Beside{
		Restorability: rule.Restore(in), Deliveries: rule.Deliveries(in), Leaks: rule.Remember(in),
	})
	if err := r.publish(ctx, app, report, pages); err != nil {
		return requeueOnConflict(err)
	}
	return ctrl.Result{RequeueAfter: lookAgain(in, result, around.Now)}, nil
}

// around gathers what stands around every Application. The lists come from the
// cache and are only read.
func (r *ApplicationReconciler) around(ctx context.Context) (gather.Around, error) {
	var apps driftv1.ApplicationList
	if err := r.List(ctx, &apps, client.UnsafeDisableDeepCopy); err != nil {
		return gather.Around{}, fmt.Errorf("listing Applications: %w", err)
	}
	var policies secretsv1.SecretPolicyList
	if err := r.List(ctx, &policies, client.UnsafeDisableDeepCopy); err != nil {
		return gather.Around{}, fmt.Errorf("listing SecretPolicies: %w", err)
	}
	return gather.Around{
		Applications: apps.Items, Policies: policies.Items,
		Now: r.Now(), NoStatusAfter: r.NoStatusAfter,
	}, nil
}

// unjudged publishes that there is no judgement, and why. The error comes back
// only where another attempt can help without anything having changed.
func (r *ApplicationReconciler) unjudged(ctx context.Context, app *driftv1.Application, report report, h *halt.Error) error {
	want := status.Unjudged(report.statuses(), h.Reason, h.Error(), metav1.NewTime(r.Now()))
	if err := r.publish(ctx, app, report, want); err != nil {
		return err
	}
	if h.Kind == halt.Retry {
		return h
	}
	return nil
}

// haltOf says what helps against an artifact that could not be read: manifests
// that do not parse stay so until there is another artifact.
func haltOf(err error) *halt.Error {
	var broken *declaration.ParseError
	if errors.As(err, &broken) {
		return halt.Stalledf(contract.BuildFailedReason, "%w", err)
	}
	return halt.Of(err, contract.ArtifactFailedReason)
}

// requeueOnConflict takes a write that met a stale cache for what it is: a
// reason to look again soon, not an error to be logged.
func requeueOnConflict(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return ctrl.Result{RequeueAfter: time.Second}, nil
	}
	return ctrl.Result{}, err
}
