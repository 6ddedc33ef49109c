// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// The secrets-controller judges what Git declares about secrets, before it
// reaches the cluster and after, and publishes SecretReports.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	runtimeclient "github.com/fluxcd/pkg/runtime/client"
	runtimectrl "github.com/fluxcd/pkg/runtime/controller"
	"github.com/fluxcd/pkg/runtime/events"
	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/holdfast-gitops/holdfast/api/contract"
	internalcontroller "github.com/holdfast-gitops/holdfast/secrets-controller/internal/controller"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/gather"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/metrics"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/options"
)

func main() {
	opts, err := options.Parse(contract.SecretsFieldManager, os.Args[1:])
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	logger.SetLogger(logger.NewLogger(opts.Log))
	if err := run(ctrl.SetupSignalHandler(), opts); err != nil {
		ctrl.Log.Error(err, "the secrets-controller has ended")
		os.Exit(1)
	}
}

// run wires the parts and stays until the context ends.
func run(ctx context.Context, opts options.Options) error {
	waker := &internalcontroller.Waker{}
	declarations := gather.NewDeclarations(gather.Manifests, time.Now, waker.Wake)
	// The cluster needs the manager's cache, and the cache tells the cluster
	// of refused watches: the variable closes that circle.
	var cluster *gather.Cluster
	hooks := options.CacheHooks{Transform: gather.Strip, Refused: func() {
		if cluster != nil {
			cluster.Doubt()
			waker.Wake(declarations.Touching(""))
		}
	}}
	mgr, err := opts.Manager(contract.SecretsFieldManager, runtimeclient.GetConfigOrDie(opts.Client), hooks)
	if err != nil {
		return err
	}
	cluster = gather.NewCluster(mgr.GetCache(), mgr.GetRESTMapper(), mgr.GetAPIReader(), time.Now, func(namespace string) {
		waker.Wake(declarations.Touching(namespace))
	})
	recorder, err := events.NewRecorder(mgr, ctrl.Log, opts.EventsAddr, contract.SecretsFieldManager)
	if err != nil {
		return fmt.Errorf("--events-addr: %w", err)
	}
	reconciler := &internalcontroller.ApplicationReconciler{
		Client:        client.WithFieldOwner(mgr.GetClient(), contract.SecretsFieldManager),
		Gatherer:      gather.Gatherer{Declarations: declarations, Sources: gather.NewSources(time.Now), Live: cluster.Read},
		Events:        recorder,
		Metrics:       metrics.New(ctrlmetrics.Registry),
		Now:           time.Now,
		NoStatusAfter: opts.NoStatusAfter,
	}
	wiring := internalcontroller.Wiring{Waker: waker, Cluster: cluster, Options: controller.Options{
		MaxConcurrentReconciles: opts.Concurrent,
		RateLimiter:             runtimectrl.GetRateLimiter(opts.RateLimiter),
	}}
	if err := reconciler.SetupWithManager(mgr, wiring); err != nil {
		return err
	}
	return mgr.Start(ctx)
}
