// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gittokens

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"

	"github.com/fluxcd/pkg/auth"
	"github.com/fluxcd/pkg/auth/githubapp"
	authutils "github.com/fluxcd/pkg/auth/utils"
	"github.com/fluxcd/pkg/cache"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitaccess"
)

// Providers are GitHub and the clouds.
type Providers struct {
	client client.Client
	tokens *cache.TokenCache
}

// Settings say how many tokens are kept, and for how long at most; zero keeps
// none.
type Settings struct {
	Cached  int
	Longest time.Duration
}

// New prepares the providers. The client reads service accounts and asks for
// tokens of them.
func New(client client.Client, settings Settings) (*Providers, error) {
	p := &Providers{client: client}
	if settings.Cached <= 0 {
		return p, nil
	}
	var err error
	if p.tokens, err = cache.NewTokenCache(settings.Cached, cache.WithMaxDuration(settings.Longest)); err != nil {
		return nil, fmt.Errorf("cannot prepare the cache of tokens: %w", err)
	}
	return p, nil
}

// GitHubApp asks GitHub, or the server that the Secret names.
func (p *Providers) GitHubApp(ctx context.Context, app gitaccess.App) (gitaccess.Token, error) {
	options := []githubapp.OptFunc{githubapp.WithAppData(app.Data)}
	if app.Proxy != nil {
		options = append(options, githubapp.WithProxyURL(app.Proxy))
	}
	if len(app.CA) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil {
			return gitaccess.Token{}, fmt.Errorf("cannot read the system's authorities: %w", err)
		}
		pool.AppendCertsFromPEM(app.CA)
		options = append(options, githubapp.WithTLSConfig(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}))
	}
	if p.tokens != nil {
		options = append(options, githubapp.WithCache(p.tokens, sourcev1.GitRepositoryKind, app.Owner.Name, app.Owner.Namespace, cache.OperationReconcile))
	}
	username, password, err := githubapp.GetCredentials(ctx, options...)
	if err != nil {
		return gitaccess.Token{}, err
	}
	return gitaccess.Token{Username: username, Password: password}, nil
}

// Workload asks a cloud provider.
func (p *Providers) Workload(ctx context.Context, workload gitaccess.Workload) (gitaccess.Token, error) {
	options := []auth.Option{
		auth.WithClient(p.client),
		auth.WithServiceAccountNamespace(workload.Owner.Namespace),
		auth.WithGitURL(*workload.Address),
	}
	if workload.ServiceAccount != "" {
		options = append(options, auth.WithServiceAccountName(workload.ServiceAccount))
	}
	if workload.Proxy != nil {
		options = append(options, auth.WithProxyURL(*workload.Proxy))
	}
	if p.tokens != nil {
		options = append(options, auth.WithCache(*p.tokens, cache.InvolvedObject{
			Kind: sourcev1.GitRepositoryKind, Name: workload.Owner.Name, Namespace: workload.Owner.Namespace, Operation: cache.OperationReconcile,
		}))
	}
	got, err := authutils.GetGitCredentials(ctx, workload.Provider, options...)
	if err != nil {
		return gitaccess.Token{}, err
	}
	return gitaccess.Token{Username: got.Username, Password: got.Password, Bearer: got.BearerToken}, nil
}

var _ gitaccess.Tokens = &Providers{}
