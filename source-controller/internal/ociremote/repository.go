// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/ocireference"
)

// Bounds on what a registry says about its content.
const (
	maxManifest = 4 << 20
	maxTags     = 200_000
	maxPages    = 1_000
	// MaxDocument bounds a signature or its payload.
	MaxDocument = 4 << 20
)

// Repository is one repository of a registry.
type Repository struct {
	registries *Registries
	client     *client
	remote     Remote
}

// Name is the repository's name, for people.
func (r *Repository) Name() string { return r.remote.Repository.String() }

// Store gives the repository to a library that reads signatures from it.
func (r *Repository) Store(ctx context.Context) (*remote.Repository, error) {
	plain, err := r.client.scheme(ctx)
	if err != nil {
		return nil, r.remote.fail("cannot reach "+r.client.host, err)
	}
	return &remote.Repository{
		Client: &r.client.auth,
		Reference: registry.Reference{
			Registry:   r.remote.Repository.Registry,
			Repository: r.remote.Repository.Path,
		},
		PlainHTTP:            plain,
		MaxMetadataBytes:     maxManifest,
		TagListMaxPages:      maxPages,
		ReferrerListMaxPages: maxPages,
	}, nil
}

// Explain makes an error of Store's fit to be shown.
func (r *Repository) Explain(what string, err error) error { return r.remote.fail(what, err) }

// Resolve finds what a reference points to, with a HEAD request, and with GET
// where the registry does not answer that as it should.
func (r *Repository) Resolve(ctx context.Context, reference string) (ocispec.Descriptor, error) {
	store, err := r.Store(ctx)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	descriptor, err := store.Resolve(ctx, reference)
	if err != nil && ctx.Err() == nil {
		var body io.ReadCloser
		if descriptor, body, err = store.FetchReference(ctx, reference); err == nil {
			err = body.Close()
		}
	}
	if err != nil {
		return ocispec.Descriptor{}, r.remote.fail(fmt.Sprintf("cannot resolve %s in %s", reference, r.Name()), err)
	}
	if err := descriptor.Digest.Validate(); err != nil {
		return ocispec.Descriptor{}, r.remote.fault(Rubbish, fmt.Sprintf("%s answered %q, which is no digest", r.Name(), descriptor.Digest))
	}
	return descriptor, nil
}

// Choose finds the tag that a range asks for.
func (r *Repository) Choose(ctx context.Context, wish ocireference.Wish) (string, error) {
	store, err := r.Store(ctx)
	if err != nil {
		return "", err
	}
	var tags []string
	err = store.Tags(ctx, "", func(page []string) error {
		tags = append(tags, page...)
		if len(tags) > maxTags {
			return r.remote.fault(TooLarge, fmt.Sprintf("%s has more than %d tags; name one by spec.ref.tag", r.Name(), maxTags))
		}
		return nil
	})
	if err != nil {
		return "", r.remote.fail("cannot list the tags of "+r.Name(), err)
	}
	return wish.Choose(tags)
}

// Document reads a manifest, or a small blob, into memory, and checks its size
// and digest.
func (r *Repository) Document(ctx context.Context, descriptor ocispec.Descriptor) ([]byte, error) {
	what := fmt.Sprintf("cannot read %s of %s", descriptor.Digest, r.Name())
	if descriptor.Size < 0 || descriptor.Size > maxManifest {
		return nil, r.remote.fault(TooLarge, fmt.Sprintf("%s: it has %d bytes, at most %d are read", what, descriptor.Size, int64(maxManifest)))
	}
	if err := descriptor.Digest.Validate(); err != nil {
		return nil, r.remote.fault(Rubbish, what+": this is no digest")
	}
	store, err := r.Store(ctx)
	if err != nil {
		return nil, err
	}
	body, err := store.Fetch(ctx, descriptor)
	if err != nil {
		return nil, r.remote.fail(what, err)
	}
	data, err := content.ReadAll(body, descriptor)
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, r.remote.fail(what, err)
	}
	return bytes.Clone(data), nil
}
