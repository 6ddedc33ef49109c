// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"fmt"
	"time"

	helper "github.com/fluxcd/pkg/runtime/controller"
	"github.com/fluxcd/pkg/runtime/events"
	"github.com/fluxcd/pkg/runtime/metrics"
	"github.com/fluxcd/pkg/runtime/predicates"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/cloud"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/cosign"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitaccess"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitclone"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittokens"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/layer"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociaccess"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/options"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/store"
)

// Parts are what the manager's controllers work with.
type Parts struct {
	Mirrors    *gitremote.Mirrors
	Clones     *gitclone.Clones // fetches in the mirrors' place; nil for the mirrors
	Registries *ociremote.Registries
	Store      *store.Store
	Options    options.Options
	// Tokens are those of GitHub and of clouds for Git; nil for the real ones.
	Tokens gitaccess.Tokens
	// Clouds log in to registries of cloud providers; nil for the real ones.
	Clouds ociaccess.Logins
}

// SetupWithManager adds the controllers of all kinds that are served, the
// artifact server and the sweeper of mirrors.
func SetupWithManager(mgr ctrl.Manager, parts Parts) error {
	for name, add := range map[string]func(string, healthz.Checker) error{"readyz": mgr.AddReadyzCheck, "healthz": mgr.AddHealthzCheck} {
		if err := add("ping", healthz.Ping); err != nil {
			return fmt.Errorf("cannot add the check %s: %w", name, err)
		}
	}
	if err := mgr.Add(server(mgr, parts)); err != nil {
		return err
	}
	for _, s := range []sweeper{
		{what: "Git mirrors", folder: parts.Mirrors, keep: parts.Options.MirrorTTL},
		{what: "OCI blobs that broke off", folder: parts.Registries, keep: parts.Options.MirrorTTL},
	} {
		if err := mgr.Add(s); err != nil {
			return err
		}
	}
	recorder, err := events.NewRecorder(mgr, ctrl.Log, parts.Options.EventsAddr, contract.SourceFieldManager)
	if err != nil {
		return fmt.Errorf("--events-addr: %w", err)
	}
	git, err := newGitKind(mgr, parts)
	if err != nil {
		return err
	}
	common := shared{
		Parts:    parts,
		recorder: recorder,
		metrics:  helper.NewMetrics(mgr, metrics.MustMakeRecorder(), sourcev1.SourceFinalizer),
	}
	if err := add(mgr, common, git); err != nil {
		return err
	}
	oci, err := newOCIKind(mgr, parts)
	if err != nil {
		return err
	}
	return add(mgr, common, oci)
}

// newOCIKind prepares the kind OCIRepository.
func newOCIKind(mgr ctrl.Manager, parts Parts) (*ociKind, error) {
	access := &ociaccess.Access{
		Reader:         mgr.GetClient(),
		Clouds:         parts.Clouds,
		Roots:          cosign.NewPublicRoot(parts.Options.TUFRoot, time.Now),
		ObjectIdentity: parts.Options.Gates.ObjectLevelWorkloadIdentity,
	}
	if access.Clouds == nil {
		clouds, err := cloud.New(mgr.GetClient(), cloud.Settings{
			Cached: parts.Options.TokenCache.MaxSize, Longest: parts.Options.TokenCache.MaxDuration,
			ServiceAccount: parts.Options.DefaultServiceAccount, ObjectIdentity: access.ObjectIdentity,
		})
		if err != nil {
			return nil, err
		}
		access.Clouds = clouds
	}
	return &ociKind{
		access:     access,
		registries: parts.Registries,
		flux:       parts.Options.ArtifactCompat == options.CompatFlux,
		limits:     layer.Limits{Bytes: parts.Options.MaxArtifactSize, Entries: parts.Options.MaxFiles},
		now:        time.Now,
	}, nil
}

// server serves artifacts on every replica; one that does not lead passes
// requests on to the one that does.
func server(mgr ctrl.Manager, parts Parts) manager.Runnable {
	lease := &leaseReader{
		reader: mgr.GetAPIReader(), now: time.Now,
		lease: types.NamespacedName{Namespace: parts.Options.Namespace, Name: leaseName(parts.Options)},
	}
	return everywhere(func(ctx context.Context) error {
		return parts.Store.Serve(ctx, store.Leadership{Elected: mgr.Elected(), Leader: lease.leader})
	})
}

// everywhere runs on standbys too.
type everywhere func(context.Context) error

// Start runs until the context ends.
func (e everywhere) Start(ctx context.Context) error { return e(ctx) }

// NeedLeaderElection is false.
func (everywhere) NeedLeaderElection() bool { return false }

// newGitKind prepares the kind GitRepository.
func newGitKind(mgr ctrl.Manager, parts Parts) (*gitKind, error) {
	access := &gitaccess.Access{
		Reader:         mgr.GetClient(),
		Tokens:         parts.Tokens,
		ObjectIdentity: parts.Options.Gates.ObjectLevelWorkloadIdentity,
	}
	if access.Tokens == nil {
		tokens, err := gittokens.New(mgr.GetClient(), gittokens.Settings{
			Cached: parts.Options.TokenCache.MaxSize, Longest: parts.Options.TokenCache.MaxDuration,
		})
		if err != nil {
			return nil, err
		}
		access.Tokens = tokens
	}
	var fetches remotes = parts.Mirrors
	if parts.Clones != nil {
		fetches = parts.Clones
	}
	return &gitKind{
		access:    access,
		secrets:   mgr.GetClient(),
		objects:   mgr.GetClient(),
		remotes:   fetches,
		artifacts: parts.Store,
		maxBytes:  parts.Options.MaxArtifactSize,
		maxFiles:  parts.Options.MaxFiles,
		donors:    parts.Store.Donor,
		flux:      parts.Options.ArtifactCompat == options.CompatFlux,
		waiting:   parts.Options.RequeueDependency,
		now:       time.Now,
	}, nil
}

// shared is what the controllers of all kinds have in common.
type shared struct {
	Parts
	recorder *events.Recorder
	metrics  helper.Metrics
}

// add runs the pipeline for one kind.
func add[T object](mgr ctrl.Manager, common shared, k kind[T]) error {
	r := &reconciler[T]{
		client:  mgr.GetClient(),
		direct:  directReads{Client: mgr.GetClient(), reader: mgr.GetAPIReader()},
		events:  common.recorder,
		metrics: common.metrics,
		store:   common.Store,
		kind:    k,
		manager: contract.SourceFieldManager,
		waiting: common.Options.RequeueDependency,
		now:     time.Now,
		ended:   map[types.NamespacedName]time.Time{},
	}
	changed := predicate.Or(predicate.GenerationChangedPredicate{}, predicates.ReconcileRequestedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).
		For(k.empty(), builder.WithPredicates(changed)).
		WithOptions(controller.Options{RateLimiter: helper.GetRateLimiter(common.Options.RateLimiter)}).
		Complete(r)
}

// directReads is a client that reads from the API server. The patch helper
// reads before it writes; from a cache that lags it would meet a conflict with
// its own last write and wait.
type directReads struct {
	ctrlclient.Client
	reader ctrlclient.Reader
}

// Get reads from the API server.
func (d directReads) Get(ctx context.Context, key ctrlclient.ObjectKey, obj ctrlclient.Object, opts ...ctrlclient.GetOption) error {
	return d.reader.Get(ctx, key, obj, opts...)
}
