// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociaccess

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/sigstore/sigstore-go/pkg/root"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/cosign"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/notation"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/ociremote"
)

// Providers of verification, and the key of a Sigstore's root in a Secret.
const (
	cosignProvider   = "cosign"
	notationProvider = "notation"
	rootKey          = "trusted_root.json"
)

// Roots gives the authorities of the public Sigstore.
type Roots interface {
	Material() (root.TrustedMaterial, error)
}

// Verify checks the signatures of an artifact as the object asks. It tells
// whether one holds; false without an error where a policy accepts the artifact
// as it is.
func (a *Access) Verify(ctx context.Context, obj *sourcev1.OCIRepository, repository *ociremote.Repository, artifact ocispec.Descriptor) (bool, error) {
	switch provider := obj.Spec.Verify.Provider; provider {
	case "", cosignProvider:
		trust, err := a.cosignTrust(ctx, obj)
		if err != nil {
			return false, err
		}
		return true, trust.Verify(ctx, repository, artifact)
	case notationProvider:
		return a.verifyNotation(ctx, obj, repository, artifact)
	default:
		return false, fmt.Errorf("unsupported verification provider: %s", provider)
	}
}

// Provider is how the provider is called where a check failed.
func Provider(verify *sourcev1.OCIRepositoryVerification) string {
	if verify.SecretRef == nil && verify.Provider == cosignProvider {
		return verify.Provider + " keyless"
	}
	return verify.Provider
}

// cosignTrust takes the keys of the Secret; without one, the authorities of a
// Sigstore.
func (a *Access) cosignTrust(ctx context.Context, obj *sourcev1.OCIRepository) (*cosign.Trust, error) {
	verify := obj.Spec.Verify
	if verify.SecretRef != nil {
		secret, err := a.secret(ctx, obj.Namespace, verify.SecretRef.Name)
		if err != nil {
			return nil, err
		}
		return cosign.Keys(ending(secret.Data, ".pub"))
	}
	material, err := a.sigstore(ctx, obj)
	if err != nil {
		return nil, err
	}
	var identities []cosign.Identity
	for _, match := range verify.MatchOIDCIdentity {
		identities = append(identities, cosign.Identity{Issuer: match.Issuer, Subject: match.Subject})
	}
	return cosign.Keyless(material, identities)
}

func (a *Access) sigstore(ctx context.Context, obj *sourcev1.OCIRepository) (root.TrustedMaterial, error) {
	ref := obj.Spec.Verify.TrustedRootSecretRef
	if ref == nil {
		return a.Roots.Material()
	}
	secret, err := a.secret(ctx, obj.Namespace, ref.Name)
	if err != nil {
		return nil, err
	}
	raw, found := secret.Data[rootKey]
	if !found {
		return nil, fmt.Errorf("'%s' not found in secret '%s/%s'", rootKey, obj.Namespace, ref.Name)
	}
	return cosign.ParseRoot(raw)
}

func (a *Access) verifyNotation(ctx context.Context, obj *sourcev1.OCIRepository, repository *ociremote.Repository, artifact ocispec.Descriptor) (bool, error) {
	ref := obj.Spec.Verify.SecretRef
	if ref == nil {
		return false, errors.New("verification secret cannot be empty: set spec.verify.secretRef")
	}
	secret, err := a.secret(ctx, obj.Namespace, ref.Name)
	if err != nil {
		return false, err
	}
	policy, found := secret.Data[notation.PolicyKey]
	if !found {
		return false, fmt.Errorf("'%s' not found in secret '%s/%s'", notation.PolicyKey, obj.Namespace, ref.Name)
	}
	trust, err := notation.NewTrust(policy, ending(secret.Data, ".crt", ".pem"))
	if err != nil {
		return false, err
	}
	store, err := repository.Store(ctx)
	if err != nil {
		return false, err
	}
	signed, err := trust.Verify(ctx, store, repository.Name()+"@"+artifact.Digest.String())
	if err != nil {
		return false, repository.Explain("the signatures do not hold", err)
	}
	return signed, nil
}

// ending are the entries of a Secret whose names end in one of these.
func ending(data map[string][]byte, suffixes ...string) map[string][]byte {
	found := map[string][]byte{}
	for name, value := range data {
		for _, suffix := range suffixes {
			if strings.HasSuffix(name, suffix) {
				found[name] = value
			}
		}
	}
	return found
}
