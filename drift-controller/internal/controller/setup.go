// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"io"
	stdlog "log"
	"log/slog"
	"time"

	fluxclient "github.com/fluxcd/pkg/runtime/client"
	"github.com/fluxcd/pkg/runtime/events"
	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/fluxcd/pkg/runtime/pprof"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secrets "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/actuate"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/clocks"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/metrics"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/options"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/publish"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/renders"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/watch"
)

// Run starts the controller and returns when ctx ends.
func Run(ctx context.Context, o options.Options) error {
	log := logger.NewLogger(o.Log)
	ctrl.SetLogger(log)
	silenceLibraries()
	log.Info("starting", "version", o.Version)
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	config := fluxclient.GetConfigOrDie(o.Client)
	present := clocks.New(clocks.Own())
	config.Wrap(present.Wrap)
	mgr, err := ctrl.NewManager(config, managerOptions(scheme, o))
	if err != nil {
		return fmt.Errorf("cannot start: %w", err)
	}
	cluster, err := observe.Connect(config, observe.Options{DryRuns: o.DryRuns, AdmissionAge: 10 * time.Minute})
	if err != nil {
		return fmt.Errorf("cannot observe the cluster: %w", err)
	}
	cache, err := renders.Open(o.StoragePath, renders.Options{Host: o.StorageAdvAddr, MaxArtifactSize: o.MaxArtifactSize, Cluster: cluster})
	if err != nil {
		return fmt.Errorf("--storage-path %s: %w", o.StoragePath, err)
	}
	if err := mgr.Add(renders.Server{Address: o.StorageAddr, Cache: cache}); err != nil {
		return err
	}
	recorder, err := events.NewRecorder(mgr, ctrl.Log, o.EventsAddr, contract.DriftFieldManager)
	if err != nil {
		return fmt.Errorf("--events-addr: %w", err)
	}
	if err := checks(mgr); err != nil {
		return err
	}
	changes := make(Changes, 1024)
	r := &Reconciler{
		Client: mgr.GetClient(), Cluster: cluster, Renders: cache, Events: recorder, Mask: cache.Key(),
		Pages: &publish.Pages{Client: mgr.GetClient(), Reader: mgr.GetAPIReader()},
		Hub:   watch.New(ctx, changes.Notify), Metrics: metrics.New(ctrlmetrics.Registry),
		Clock: present, MaxAge: o.MaxAge,
		Writes: &Writes{Reader: mgr.GetAPIReader(), Writer: actuate.New(config, cluster.Served, actuate.Options{})},
	}
	if err := r.SetupWithManager(ctx, mgr, changes, o.Concurrent); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// silenceLibraries drops what libraries print past our logger: Helm's warning
// about values that do not merge quotes a value.
func silenceLibraries() {
	stdlog.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, api.AddToScheme, secrets.AddToScheme, sourcev1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return scheme, nil
}

func managerOptions(scheme *runtime.Scheme, o options.Options) ctrl.Options {
	opts := ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: o.MetricsAddr, ExtraHandlers: pprof.GetHandlers()},
		HealthProbeBindAddress: o.HealthAddr,
		Logger:                 ctrl.Log,
		Cache:                  ctrlcache.Options{DefaultTransform: ctrlcache.TransformStripManagedFields()},
		// Pages are written and never read back from a cache: caching them
		// would hold the whole report in memory twice.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&api.DriftReport{}, &api.Inventory{}}}},
	}
	e := o.LeaderElection
	opts.LeaderElection, opts.LeaderElectionID, opts.LeaderElectionNamespace = e.Enable, "drift-controller-leader-election", o.Namespace
	opts.LeaderElectionReleaseOnCancel = e.ReleaseOnCancel
	opts.LeaseDuration, opts.RenewDeadline, opts.RetryPeriod = &e.LeaseDuration, &e.RenewDeadline, &e.RetryPeriod
	return opts
}

// checks say that the process is there; whether its verdicts are fresh is in
// status.compared.validUntil.
func checks(mgr ctrl.Manager) error {
	if err := mgr.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	return mgr.AddHealthzCheck("ping", healthz.Ping)
}
