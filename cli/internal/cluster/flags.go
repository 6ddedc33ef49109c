// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"slices"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Flags are the connection flags of kubectl.
type Flags struct {
	config *genericclioptions.ConfigFlags
}

// rare flags work and are left out of the help, where they would bury the
// handful that people use.
var rare = []string{
	"as-group", "as-uid", "as-user-extra", "certificate-authority", "client-certificate", "client-key", "cluster",
	"disable-compression", "insecure-skip-tls-verify", "server", "tls-server-name", "token", "user",
}

// NewFlags registers the flags.
func NewFlags(set *pflag.FlagSet) *Flags {
	config := genericclioptions.NewConfigFlags(true)
	config.CacheDir = nil // nothing is cached on disk
	config.AddFlags(set)
	for _, name := range rare {
		if f := set.Lookup(name); f != nil {
			f.Hidden = true
		}
	}
	return &Flags{config: config}
}

// Namespace is that of --namespace or of the context.
func (f *Flags) Namespace() (string, error) {
	namespace, _, err := f.config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", explainConfig(err, f.contexts())
	}
	return namespace, nil
}

// RESTConfig is the connection, without having tried it.
func (f *Flags) RESTConfig() (*rest.Config, error) {
	if f.empty() {
		// The loader would go to localhost:8080, and the refusal there would
		// send people looking for the wrong fault.
		return nil, explainConfig(errors.New("none was found, and no server was named"), nil)
	}
	config, err := f.config.ToRESTConfig()
	if err != nil {
		return nil, explainConfig(err, f.contexts())
	}
	// A person waits: the client's default of five requests a second is meant
	// for loops.
	config.QPS, config.Burst = 50, 100
	return config, nil
}

// Connect gives a reader of the cluster.
func (f *Flags) Connect() (*Cluster, error) {
	config, err := f.RESTConfig()
	if err != nil {
		return nil, err
	}
	namespace, err := f.Namespace()
	if err != nil {
		return nil, err
	}
	at := place{host: config.Host, context: f.context()}
	scheme := runtime.NewScheme()
	if err := errors.Join(
		v1alpha1.AddToScheme(scheme), secretsv1.AddToScheme(scheme), sourcev1.AddToScheme(scheme),
		corev1.AddToScheme(scheme), appsv1.AddToScheme(scheme), rbacv1.AddToScheme(scheme),
		authenticationv1.AddToScheme(scheme), authorizationv1.AddToScheme(scheme),
	); err != nil {
		return nil, err
	}
	objects, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, at.explain(err, "its API")
	}
	versions, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, at.explain(err, "its version")
	}
	return &Cluster{
		config: config, scheme: scheme, reader: objects, creator: objects, versions: versions, namespace: namespace, at: at,
	}, nil
}

// empty: neither a kubeconfig nor a flag nor a pod's environment names a server.
func (f *Flags) empty() bool {
	raw, err := f.config.ToRawKubeConfigLoader().RawConfig()
	if err != nil || len(raw.Clusters) > 0 || *f.config.APIServer != "" || *f.config.Context != "" {
		return false
	}
	_, err = rest.InClusterConfig()
	return err != nil
}

func (f *Flags) context() string {
	if *f.config.Context != "" {
		return *f.config.Context
	}
	raw, err := f.config.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return ""
	}
	return raw.CurrentContext
}

func (f *Flags) contexts() []string {
	raw, err := f.config.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil
	}
	var names []string
	for name := range raw.Contexts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
