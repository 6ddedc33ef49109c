// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/fluxcd/pkg/auth"
	authutils "github.com/fluxcd/pkg/auth/utils"
	"github.com/fluxcd/pkg/cache"
	"github.com/google/go-containerregistry/pkg/authn"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Request is who wants to log in where.
type Request struct {
	Provider   string
	Repository string // without a scheme
	Kind       string
	Name       string
	Namespace  string
	// ServiceAccount of the namespace to act as; empty for the controller's own
	// identity.
	ServiceAccount string
	Proxy          *url.URL
}

// Clouds are the providers that can be reached from here.
type Clouds struct {
	client client.Client
	tokens *cache.TokenCache
}

// Settings are those of the process.
type Settings struct {
	// Cached is how many logins are kept, Longest for how long at most; zero
	// keeps none.
	Cached  int
	Longest time.Duration
	// ServiceAccount is acted as where an object names none.
	ServiceAccount string
	// ObjectIdentity lets objects name one.
	ObjectIdentity bool
}

// New prepares the providers. The client reads service accounts and asks for
// tokens of them. The library keeps two of the settings for the whole process.
func New(client client.Client, settings Settings) (*Clouds, error) {
	if settings.ObjectIdentity {
		auth.EnableObjectLevelWorkloadIdentity()
	}
	if settings.ServiceAccount != "" {
		auth.SetDefaultServiceAccount(settings.ServiceAccount)
	}
	if auth.InconsistentObjectLevelConfiguration() {
		return nil, fmt.Errorf("--default-service-account: %w", auth.ErrInconsistentObjectLevelConfiguration)
	}
	c := &Clouds{client: client}
	if settings.Cached <= 0 {
		return c, nil
	}
	var err error
	if c.tokens, err = cache.NewTokenCache(settings.Cached, cache.WithMaxDuration(settings.Longest)); err != nil {
		return nil, fmt.Errorf("cannot prepare the cache of cloud logins: %w", err)
	}
	return c, nil
}

// Login gives the login of a registry.
func (c *Clouds) Login(ctx context.Context, request Request) (authn.AuthConfig, error) {
	options := []auth.Option{
		auth.WithClient(c.client),
		auth.WithServiceAccountNamespace(request.Namespace),
	}
	if request.ServiceAccount != "" {
		options = append(options, auth.WithServiceAccountName(request.ServiceAccount))
	}
	if request.Proxy != nil {
		options = append(options, auth.WithProxyURL(*request.Proxy))
	}
	if c.tokens != nil {
		options = append(options, auth.WithCache(*c.tokens, cache.InvolvedObject{
			Kind: request.Kind, Name: request.Name, Namespace: request.Namespace, Operation: cache.OperationReconcile,
		}))
	}
	login, err := authutils.GetArtifactRegistryCredentials(ctx, request.Provider, request.Repository, options...)
	if err != nil {
		return authn.AuthConfig{}, fmt.Errorf("failed to get credential from %s: %w", request.Provider, err)
	}
	config, err := login.Authorization()
	if err != nil {
		return authn.AuthConfig{}, fmt.Errorf("failed to get credential from %s: %w", request.Provider, err)
	}
	return *config, nil
}
