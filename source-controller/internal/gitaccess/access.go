// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitaccess

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
)

// Access reads what objects name.
type Access struct {
	Reader client.Reader // of Secrets, never cached
	Tokens Tokens
	// ObjectIdentity is the gate that lets an object act as a service account of
	// its own at a provider.
	ObjectIdentity bool
}

// Tokens are short-lived credentials of providers.
type Tokens interface {
	// GitHubApp gives one of an installation of an app.
	GitHubApp(ctx context.Context, app App) (Token, error)
	// Workload gives one of a cloud provider.
	Workload(ctx context.Context, workload Workload) (Token, error)
}

// Owner is the object that a token is for.
type Owner struct{ Namespace, Name string }

// App is an installation of a GitHub App.
type App struct {
	Owner Owner
	Data  map[string][]byte // of the Secret
	CA    []byte
	Proxy *url.URL
}

// Workload is an identity at a cloud provider.
type Workload struct {
	Owner          Owner
	Provider       string
	Address        *url.URL
	ServiceAccount string // empty for the controller's own
	Proxy          *url.URL
}

// Token is what a provider gave.
type Token struct{ Username, Password, Bearer string }

// Remote joins the address with everything that the object names. Secrets are
// read anew each time: a rotated password works at the next pass.
func (a *Access) Remote(ctx context.Context, obj *sourcev1.GitRepository, address *url.URL) (gitremote.Remote, *halt.Error) {
	proxy, err := a.proxy(ctx, obj)
	if err != nil {
		return gitremote.Remote{}, refused("failed to configure proxy options: %w", err)
	}
	var data map[string][]byte
	if ref := obj.Spec.SecretRef; ref != nil {
		if data, err = a.secret(ctx, obj.Namespace, ref.Name); err != nil {
			return gitremote.Remote{}, refused("failed to get secret '%s/%s': %w", obj.Namespace, ref.Name, err)
		}
	}
	auth, err := credentials.New(address, data)
	if err != nil {
		return gitremote.Remote{}, refused("failed to configure authentication options: %w", err)
	}
	if err := usable(auth.SSH()); err != nil {
		if errors.Is(err, sshlink.ErrEncrypted) {
			return gitremote.Remote{}, refused("SSH identity key is encrypted but no 'password' field was provided in the secret '%s/%s'", obj.Namespace, obj.Spec.SecretRef.Name)
		}
		return gitremote.Remote{}, refused("failed to configure authentication options: %w", err)
	}
	if proxy != nil {
		auth = auth.WithProxy(proxy)
	}
	auth, failure := a.provided(ctx, obj, auth, given{data: data, address: address})
	if failure != nil {
		return gitremote.Remote{}, failure
	}
	return gitremote.Remote{Address: credentials.WithoutUser(address), Auth: auth}, nil
}

func usable(ssh credentials.SSH) error {
	if len(ssh.Identity) == 0 {
		return nil
	}
	return sshlink.CheckIdentity(ssh.Identity, ssh.Passphrase)
}

// given is what a provider may need of the object.
type given struct {
	data    map[string][]byte
	address *url.URL
}

// provided replaces the Secret's credentials by a token, where a provider is
// named.
func (a *Access) provided(ctx context.Context, obj *sourcev1.GitRepository, auth credentials.Auth, g given) (credentials.Auth, *halt.Error) {
	const missing = "secretRef with github app data must be specified when provider is set to github"
	owner := Owner{Namespace: obj.Namespace, Name: obj.Name}
	var token Token
	var err error
	var lasting string
	switch provider := obj.GetProvider(); provider {
	case sourcev1.GitProviderGitHub:
		if obj.Spec.SecretRef == nil {
			return auth, halt.Stalledf(sourcev1.InvalidProviderConfigurationReason, missing)
		}
		if !credentials.HasGitHubApp(g.data) {
			return auth, halt.Retryf(sourcev1.InvalidProviderConfigurationReason, missing)
		}
		if err := credentials.CheckGitHubApp(g.data); err != nil {
			return auth, refused("failed to configure authentication options: secret '%s/%s': %w", obj.Namespace, obj.Spec.SecretRef.Name, err)
		}
		lasting = credentials.GitHubAppIdentity(g.data)
		token, err = a.Tokens.GitHubApp(ctx, App{Owner: owner, Data: g.data, CA: auth.CA(), Proxy: auth.Proxy()})
	case sourcev1.GitProviderAzure, sourcev1.GitProviderAWS:
		if obj.Spec.ServiceAccountName != "" && !a.ObjectIdentity {
			return auth, halt.Stalledf(meta.FeatureGateDisabledReason,
				"to use spec.serviceAccountName for provider authentication please enable the ObjectLevelWorkloadIdentity feature gate in the controller")
		}
		lasting = fmt.Sprintf("%s %s/%s", provider, obj.Namespace, obj.Spec.ServiceAccountName)
		token, err = a.Tokens.Workload(ctx, Workload{Owner: owner, Provider: provider, Address: g.address, ServiceAccount: obj.Spec.ServiceAccountName, Proxy: auth.Proxy()})
	default:
		if credentials.HasGitHubApp(g.data) {
			return auth, halt.Retryf(sourcev1.InvalidProviderConfigurationReason,
				"secretRef '%s/%s' has github app data but provider is not set to github", obj.Namespace, obj.Spec.SecretRef.Name)
		}
		return auth, nil
	}
	if err != nil {
		return auth, refused("failed to configure authentication options: %w", err)
	}
	return auth.WithToken(token.Username, token.Password, token.Bearer, lasting), nil
}

func (a *Access) proxy(ctx context.Context, obj *sourcev1.GitRepository) (*url.URL, error) {
	ref := obj.Spec.ProxySecretRef
	if ref == nil {
		return nil, nil
	}
	data, err := a.secret(ctx, obj.Namespace, ref.Name)
	if err != nil {
		return nil, fmt.Errorf("failed to get secret '%s/%s': %w", obj.Namespace, ref.Name, err)
	}
	address, err := credentials.Proxy(data)
	if err != nil {
		return nil, fmt.Errorf("secret '%s/%s': %w", obj.Namespace, ref.Name, err)
	}
	return address, nil
}

func (a *Access) secret(ctx context.Context, namespace, name string) (map[string][]byte, error) {
	var secret corev1.Secret
	err := a.Reader.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, &secret)
	return secret.Data, err
}

// refused is a remote that cannot be asked, because something that the object
// names is missing or wrong. It may still come.
func refused(format string, args ...any) *halt.Error {
	return halt.Retryf(sourcev1.AuthenticationFailedReason, format, args...)
}
