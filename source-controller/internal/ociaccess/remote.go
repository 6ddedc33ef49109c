// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociaccess

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/authn/kubernetes"
	"github.com/google/go-containerregistry/pkg/name"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/cloud"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/credentials"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocireference"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociremote"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/status"
)

// Logins are the cloud providers.
type Logins interface {
	Login(ctx context.Context, request cloud.Request) (authn.AuthConfig, error)
}

// Access reads what objects name.
type Access struct {
	Reader client.Reader
	Clouds Logins
	Roots  Roots
	// ObjectIdentity is the gate that lets an object act as a service account
	// of its own at a provider.
	ObjectIdentity bool
}

// ErrCloud is the kind of error for a provider that gave no login.
var ErrCloud = errors.New("no login")

// Remote gathers how the registry is reached. A provider that gives no login is
// an error of kind ErrCloud: what it means depends on what the login was for.
func (a *Access) Remote(ctx context.Context, obj *sourcev1.OCIRepository, repository ocireference.Repository) (ociremote.Remote, *status.Failure) {
	remote := ociremote.Remote{Repository: repository, Insecure: obj.Spec.Insecure}
	var err error
	secrets, err := a.pullSecrets(ctx, obj)
	if err != nil {
		return remote, refused("failed to get credential: %w", err)
	}
	if remote.Proxy, err = a.proxy(ctx, obj); err != nil {
		return remote, refused("failed to get proxy address: %w", err)
	}
	var failure *status.Failure
	if remote.Login, failure = a.login(ctx, obj, repository, secrets, remote.Proxy); failure != nil {
		return remote, failure
	}
	if remote.Certificates, err = a.certificates(ctx, obj); err != nil {
		return remote, refused("failed to generate transport for '"+obj.Spec.URL+"': %w", err)
	}
	return remote, nil
}

// pullSecrets are the Secret of spec.secretRef and those of the service account.
func (a *Access) pullSecrets(ctx context.Context, obj *sourcev1.OCIRepository) ([]corev1.Secret, error) {
	var names []string
	if ref := obj.Spec.SecretRef; ref != nil {
		names = append(names, ref.Name)
	}
	if obj.Spec.ServiceAccountName != "" {
		var account corev1.ServiceAccount
		key := types.NamespacedName{Namespace: obj.Namespace, Name: obj.Spec.ServiceAccountName}
		if err := a.Reader.Get(ctx, key, &account); err != nil {
			return nil, fmt.Errorf("failed to get serviceaccount '%s': %w", key, err)
		}
		for _, ref := range account.ImagePullSecrets {
			names = append(names, ref.Name)
		}
	}
	var secrets []corev1.Secret
	for _, name := range names {
		secret, err := a.secret(ctx, obj.Namespace, name)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, *secret)
	}
	return secrets, nil
}

// login takes what the pull secrets say about the repository. The provider is
// asked only where there are none.
func (a *Access) login(ctx context.Context, obj *sourcev1.OCIRepository, repository ocireference.Repository, secrets []corev1.Secret, proxy *url.URL) (ociremote.Login, *status.Failure) {
	if len(secrets) > 0 {
		config, err := lookUp(ctx, secrets, repository)
		if err != nil {
			return ociremote.Login{}, refused("failed to get credential: %w", err)
		}
		return ociremote.NewLogin(config), nil
	}
	if obj.Spec.Provider == "" || obj.Spec.Provider == sourcev1.GenericOCIProvider {
		return ociremote.Login{}, nil
	}
	if obj.Spec.ServiceAccountName != "" && !a.ObjectIdentity {
		return ociremote.Login{}, &status.Failure{Halt: halt.Stalledf(meta.FeatureGateDisabledReason,
			"to use spec.serviceAccountName for provider authentication please enable the ObjectLevelWorkloadIdentity feature gate in the controller")}
	}
	config, err := a.Clouds.Login(ctx, cloud.Request{
		Provider: obj.Spec.Provider, Repository: repository.String(), Proxy: proxy,
		Kind: sourcev1.OCIRepositoryKind, Name: obj.Name, Namespace: obj.Namespace, ServiceAccount: obj.Spec.ServiceAccountName,
	})
	if err != nil {
		return ociremote.Login{}, &status.Failure{
			Condition: sourcev1.FetchFailedCondition,
			Halt:      halt.Retryf(sourcev1.OCIPullFailedReason, "failed to determine artifact digest: %w: %w", ErrCloud, err),
		}
	}
	return ociremote.NewLogin(config), nil
}

// lookUp matches as the kubelet does: the longest entry that fits the name, with
// wildcards in the host. The parser's own words may quote a value.
func lookUp(ctx context.Context, secrets []corev1.Secret, repository ocireference.Repository) (authn.AuthConfig, error) {
	keychain, err := kubernetes.NewFromPullSecrets(ctx, secrets)
	if err != nil {
		return authn.AuthConfig{}, fmt.Errorf("the pull secrets cannot be read: the value of %s is no Docker configuration", corev1.DockerConfigJsonKey)
	}
	resource, err := name.NewRepository(repository.String())
	if err != nil {
		return authn.AuthConfig{}, err
	}
	login, err := keychain.Resolve(resource)
	if err != nil {
		return authn.AuthConfig{}, errors.New("the pull secrets cannot be matched with the registry")
	}
	config, err := login.Authorization()
	if err != nil {
		return authn.AuthConfig{}, errors.New("the pull secrets hold no login for the registry")
	}
	return *config, nil
}

func (a *Access) proxy(ctx context.Context, obj *sourcev1.OCIRepository) (*url.URL, error) {
	if obj.Spec.ProxySecretRef == nil {
		return nil, nil
	}
	secret, err := a.secret(ctx, obj.Namespace, obj.Spec.ProxySecretRef.Name)
	if err != nil {
		return nil, err
	}
	address, err := credentials.Proxy(secret.Data)
	if err != nil {
		return nil, fmt.Errorf("secret '%s/%s': %w", secret.Namespace, secret.Name, err)
	}
	return address, nil
}

func (a *Access) certificates(ctx context.Context, obj *sourcev1.OCIRepository) (*credentials.Auth, error) {
	if obj.Spec.CertSecretRef == nil || obj.Spec.CertSecretRef.Name == "" {
		return nil, nil
	}
	secret, err := a.secret(ctx, obj.Namespace, obj.Spec.CertSecretRef.Name)
	if err != nil {
		return nil, err
	}
	certificates, err := credentials.Certificates(secret.Data)
	if err != nil {
		return nil, fmt.Errorf("secret '%s/%s': %w", secret.Namespace, secret.Name, err)
	}
	return &certificates, nil
}

func (a *Access) secret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	var secret corev1.Secret
	key := types.NamespacedName{Namespace: namespace, Name: name}
	if err := a.Reader.Get(ctx, key, &secret); err != nil {
		return nil, fmt.Errorf("failed to get secret '%s': %w", key, err)
	}
	return &secret, nil
}

// refused is a registry that cannot be asked, because something that the object
// names is missing or wrong. It may still come.
func refused(format string, args ...any) *status.Failure {
	return &status.Failure{
		Condition: sourcev1.FetchFailedCondition,
		Halt:      halt.Retryf(sourcev1.AuthenticationFailedReason, format, args...),
	}
}
