// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package options

import (
	"context"
	"fmt"

	"github.com/fluxcd/pkg/runtime/leaderelection"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// CacheHooks are what the cache has to know about those who read from it.
type CacheHooks struct {
	// Transform of every object before it is kept.
	Transform toolscache.TransformFunc
	// Refused is called when a watch is refused or its kind is gone.
	Refused func()
}

// Manager builds the manager: schemes, cache, probes, metrics, election.
func (o Options) Manager(name string, config *rest.Config, hooks CacheHooks) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, driftv1.AddToScheme, secretsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("scheme: %w", err)
		}
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       metricsserver.Options{BindAddress: o.MetricsAddr},
		HealthProbeBindAddress:        o.HealthAddr,
		LeaderElection:                o.Election.Enable,
		LeaderElectionReleaseOnCancel: o.Election.ReleaseOnCancel,
		LeaseDuration:                 &o.Election.LeaseDuration,
		RenewDeadline:                 &o.Election.RenewDeadline,
		RetryPeriod:                   &o.Election.RetryPeriod,
		LeaderElectionID:              leaderelection.GenerateID(name),
		Logger:                        ctrl.Log,
		Cache:                         hooks.cache(),
	})
	if err != nil {
		return nil, fmt.Errorf("manager: %w", err)
	}
	for _, check := range []func(string, healthz.Checker) error{mgr.AddHealthzCheck, mgr.AddReadyzCheck} {
		if err := check("ping", healthz.Ping); err != nil {
			return nil, fmt.Errorf("probes: %w", err)
		}
	}
	return mgr, nil
}

func (h CacheHooks) cache() cache.Options {
	return cache.Options{
		DefaultTransform: h.Transform,
		ByObject: map[client.Object]cache.ByObject{
			// Helm keeps a Secret for each release and revision; nothing
			// consumes them, and they are most Secrets of many a cluster.
			&corev1.Secret{}: {Field: fields.OneTermNotEqualSelector("type", "helm.sh/release.v1")},
		},
		DefaultWatchErrorHandler: func(ctx context.Context, r *toolscache.Reflector, err error) {
			toolscache.DefaultWatchErrorHandler(ctx, r, err)
			if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsNotFound(err) {
				h.Refused()
			}
		},
	}
}
