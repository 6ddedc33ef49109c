// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fluxcd/pkg/runtime/client"
	helper "github.com/fluxcd/pkg/runtime/controller"
	"github.com/fluxcd/pkg/runtime/leaderelection"
	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/fluxcd/pkg/runtime/pprof"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	ctrlclient "sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitclone"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/options"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/store"
)

// What this process may do, for controller-gen. It writes the status and the
// finalizer of sources and nothing else of anyone; Secrets are read by name.
//
// +kubebuilder:rbac:groups=source.toolkit.fluxcd.io,resources=gitrepositories,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=source.toolkit.fluxcd.io,resources=gitrepositories/status,verbs=patch
// +kubebuilder:rbac:groups=source.toolkit.fluxcd.io,resources=ocirepositories,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=source.toolkit.fluxcd.io,resources=ocirepositories/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=secrets;serviceaccounts,verbs=get
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=holdfast-system,resources=leases,verbs=get;create;update

// Run starts everything and returns when the context ends or a part fails.
func Run(ctx context.Context, opts options.Options) error {
	logger.SetLogger(logger.NewLogger(opts.Log))
	if err := opts.Jitter.SetGlobalJitter(nil); err != nil {
		return err
	}
	mirrors, clones, err := openGit(ctx, opts)
	if err != nil {
		return err
	}
	// The lock on the folder goes with the process anyway.
	defer func() { _ = mirrors.Close() }()
	registries, err := ociremote.Open(ociremote.Config{
		Root:         opts.BlobPath,
		MaxBlobBytes: opts.MaxArtifactSize,
		UserAgent:    contract.SourceFieldManager + "/" + opts.Version,
	})
	if err != nil {
		return err
	}
	defer func() { _ = registries.Close() }()
	artifacts, err := store.Open(opts.Artifact)
	if err != nil {
		return err
	}
	cfg := client.GetConfigOrDie(opts.Client)
	if err := checkGates(ctx, cfg, opts); err != nil {
		return err
	}
	mgr, err := newManager(cfg, opts)
	if err != nil {
		return err
	}
	if err := SetupWithManager(mgr, Parts{Mirrors: mirrors, Clones: clones, Registries: registries, Store: artifacts, Options: opts}); err != nil {
		return err
	}
	ctrl.Log.WithName("setup").Info("starting manager", "version", opts.Version)
	return mgr.Start(ctx)
}

// openGit prepares the client that --git-client asks for; no clones for git.
func openGit(ctx context.Context, opts options.Options) (*gitremote.Mirrors, *gitclone.Clones, error) {
	algorithms := sshlink.Algorithms{KeyExchanges: opts.SSH.KexAlgorithms, HostKeys: opts.SSH.HostKeyAlgorithms}
	config := gitremote.Config{
		Root:           opts.MirrorPath,
		Environ:        opts.Environ,
		SystemCAs:      opts.SystemCAs,
		MaxMirrorBytes: opts.MirrorMaxSize,
		MaxEntries:     opts.MaxFiles,
		ListOnly:       opts.GitClient == options.ClientGoGit,
		Algorithms:     algorithms,
	}
	mirrors, err := gitremote.Open(ctx, config)
	if err != nil || !config.ListOnly {
		return mirrors, nil, err
	}
	clones, err := gitclone.Open(gitclone.Config{
		Root: filepath.Join(opts.MirrorPath, "clones"), Lister: mirrors,
		MaxBytes: opts.MirrorMaxSize, MaxEntries: opts.MaxFiles, Algorithms: algorithms,
	})
	if err != nil {
		return nil, nil, errors.Join(err, mirrors.Close())
	}
	return mirrors, clones, nil
}

// newManager prepares a manager that watches sources and reads Secrets without
// a cache unless a gate asks for one: watching all Secrets to use a few asks for
// too much.
func newManager(cfg *rest.Config, opts options.Options) (ctrl.Manager, error) {
	selector, err := helper.GetWatchSelector(opts.Watch)
	if err != nil {
		return nil, fmt.Errorf("--watch-label-selector: %w", err)
	}
	lock, err := newLock(cfg, opts, leaseName(opts))
	if err != nil {
		return nil, err
	}
	watch := cache.Options{ByObject: map[ctrlclient.Object]cache.ByObject{
		&sourcev1.GitRepository{}: {Label: selector},
		&sourcev1.OCIRepository{}: {Label: selector},
	}}
	if !opts.Watch.AllNamespaces {
		watch.DefaultNamespaces = map[string]cache.Config{opts.Namespace: {}}
	}
	uncached := []ctrlclient.Object{&corev1.ServiceAccount{}}
	if !opts.Gates.CacheSecrets {
		uncached = append(uncached, &corev1.Secret{}, &corev1.ConfigMap{})
	}
	recoverPanic := true
	return ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                              newScheme(),
		Logger:                              ctrl.Log,
		Cache:                               watch,
		Client:                              ctrlclient.Options{Cache: &ctrlclient.CacheOptions{DisableFor: uncached}},
		Metrics:                             metricsserver.Options{BindAddress: opts.MetricsAddr, ExtraHandlers: pprof.GetHandlers()},
		HealthProbeBindAddress:              opts.HealthAddr,
		LeaderElection:                      opts.LeaderElection.Enable,
		LeaderElectionResourceLockInterface: lock,
		LeaderElectionReleaseOnCancel:       opts.LeaderElection.ReleaseOnCancel,
		LeaseDuration:                       &opts.LeaderElection.LeaseDuration,
		RenewDeadline:                       &opts.LeaderElection.RenewDeadline,
		RetryPeriod:                         &opts.LeaderElection.RetryPeriod,
		Controller:                          config.Controller{RecoverPanic: &recoverPanic, MaxConcurrentReconciles: opts.Concurrent},
	})
}

// leaseName is Flux's: with a selector each shard has a leader of its own.
func leaseName(opts options.Options) string {
	name := contract.SourceFieldManager + "-leader-election"
	if opts.Watch.LabelSelector == "" {
		return name
	}
	return leaderelection.GenerateID(name, opts.Watch.LabelSelector)
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(sourcev1.AddToScheme(scheme))
	return scheme
}

// checkGates refuses a start with a gate for which the rights are missing: a cache
// of Secrets that may not be filled would make every source that names one wait
// for ever, without a word.
func checkGates(ctx context.Context, cfg *rest.Config, opts options.Options) error {
	if !opts.Gates.CacheSecrets {
		return nil
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	namespace := ""
	if !opts.Watch.AllNamespaces {
		namespace = opts.Namespace
	}
	for _, verb := range []string{"list", "watch"} {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Resource: "secrets"},
		}}
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("--feature-gates=CacheSecretsAndConfigMaps=true: asking whether Secrets may be watched: %w", err)
		}
		if !answer.Status.Allowed {
			return fmt.Errorf("--feature-gates=CacheSecretsAndConfigMaps=true needs the right to %s secrets, which this service account does not have: "+
				"grant get, list and watch of secrets, or leave the gate off", verb)
		}
	}
	return nil
}
