// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cosign

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/verify"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
)

// What cosign calls its things.
const (
	bundleType    = "application/vnd.dev.sigstore.bundle"
	signatureType = "application/vnd.dev.cosign.artifact.sig.v1+json"
	predicateType = "https://sigstore.dev/cosign/sign/v1"
)

// maxCandidates bounds how many signatures of one artifact are looked at.
const maxCandidates = 50

// ErrUnsigned is the kind of error for an artifact without a signature that
// holds.
var ErrUnsigned = errors.New("no matching signatures were found")

// Source reads one repository.
type Source interface {
	// Store lists what refers to an artifact and resolves tags.
	Store(ctx context.Context) (*remote.Repository, error)
	// Document reads a small thing and checks its digest.
	Document(ctx context.Context, descriptor ocispec.Descriptor) ([]byte, error)
	// Explain makes an error of Store's fit to be shown.
	Explain(what string, err error) error
}

// candidate is something that may be a signature.
type candidate func(ctx context.Context, trust *Trust) error

// Verify gives nil if somebody trusted signed the artifact.
func (t *Trust) Verify(ctx context.Context, source Source, artifact ocispec.Descriptor) error {
	candidates, err := find(ctx, source, artifact)
	if err != nil {
		return err
	}
	var refusal error
	for _, c := range candidates {
		if refusal = c(ctx, t); refusal == nil {
			return nil
		}
		if ctx.Err() != nil {
			return refusal
		}
	}
	if refusal != nil {
		return fmt.Errorf("%w for '%s': %d were looked at, the last one: %w", ErrUnsigned, artifact.Digest, len(candidates), refusal)
	}
	return fmt.Errorf("%w for '%s': it has none", ErrUnsigned, artifact.Digest)
}

// find lists everything that may be a signature, bundles first.
func find(ctx context.Context, source Source, artifact ocispec.Descriptor) ([]candidate, error) {
	store, err := source.Store(ctx)
	if err != nil {
		return nil, err
	}
	var bundles, manifests []ocispec.Descriptor
	err = store.Referrers(ctx, artifact, "", func(page []ocispec.Descriptor) error {
		for _, referrer := range page {
			switch {
			case strings.HasPrefix(referrer.ArtifactType, bundleType):
				bundles = append(bundles, referrer)
			case referrer.ArtifactType == signatureType:
				manifests = append(manifests, referrer)
			}
		}
		return nil
	})
	if err != nil {
		return nil, source.Explain("cannot list what refers to "+artifact.Digest.String(), err)
	}
	tag := strings.Replace(artifact.Digest.String(), ":", "-", 1) + ".sig"
	tagged, err := store.Resolve(ctx, tag)
	switch {
	case err == nil:
		manifests = append(manifests, tagged)
	case !errors.Is(err, errdef.ErrNotFound):
		return nil, source.Explain("cannot look for the signature "+tag, err)
	}
	var candidates []candidate
	for _, b := range bundles[:min(len(bundles), maxCandidates)] {
		candidates = append(candidates, func(ctx context.Context, t *Trust) error { return t.bundle(ctx, source, b, artifact.Digest) })
	}
	for _, m := range manifests[:min(len(manifests), maxCandidates)] {
		candidates = append(candidates, func(ctx context.Context, t *Trust) error { return t.manifest(ctx, source, m, artifact.Digest) })
	}
	return candidates, nil
}

// bundle checks a bundle that refers to the artifact.
func (t *Trust) bundle(ctx context.Context, source Source, referrer ocispec.Descriptor, subject digest.Digest) error {
	manifest, err := readManifest(ctx, source, referrer)
	if err != nil {
		return err
	}
	if len(manifest.Layers) == 0 {
		return fmt.Errorf("the bundle %s is empty", referrer.Digest)
	}
	raw, err := source.Document(ctx, manifest.Layers[0])
	if err != nil {
		return err
	}
	var entity bundle.Bundle
	if err := entity.UnmarshalJSON(raw); err != nil {
		return fmt.Errorf("the bundle %s cannot be read: %w", referrer.Digest, err)
	}
	return t.entity(&entity, subject)
}

// entity checks a statement about the artifact, and that it says no more than
// that it was signed.
func (t *Trust) entity(entity verify.SignedEntity, subject digest.Digest) error {
	sum, err := hex.DecodeString(subject.Encoded())
	if err != nil {
		return err
	}
	if err := t.judge(entity, verify.WithArtifactDigest(subject.Algorithm().String(), sum)); err != nil {
		return err
	}
	signed, err := entity.SignatureContent()
	if err != nil {
		return err
	}
	envelope := signed.EnvelopeContent()
	if envelope == nil {
		return nil
	}
	statement, err := envelope.Statement()
	if err != nil {
		return err
	}
	if statement.GetPredicateType() != predicateType {
		return fmt.Errorf("the statement is of type %q, which is no signature", statement.GetPredicateType())
	}
	return nil
}

func readManifest(ctx context.Context, source Source, descriptor ocispec.Descriptor) (ocispec.Manifest, error) {
	raw, err := source.Document(ctx, descriptor)
	if err != nil {
		return ocispec.Manifest{}, err
	}
	var manifest ocispec.Manifest
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return ocispec.Manifest{}, fmt.Errorf("the manifest %s cannot be read: %w", descriptor.Digest, err)
	}
	if len(manifest.Layers) > maxCandidates {
		return ocispec.Manifest{}, fmt.Errorf("the manifest %s has %d signatures, at most %d are looked at", descriptor.Digest, len(manifest.Layers), maxCandidates)
	}
	return manifest, nil
}
