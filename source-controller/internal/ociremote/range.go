// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package ociremote

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote/auth"
)

// connect asks for the blob from the current offset on. A registry that knows
// no ranges sends all of it, and what is known already is passed over.
func (b *Blob) connect() error {
	remote := b.repository.remote
	what := fmt.Sprintf("cannot fetch the layer %s of %s", b.descriptor.Digest, b.repository.Name())
	plain, err := b.repository.client.scheme(b.ctx)
	if err != nil {
		return remote.fail(what, err)
	}
	req, err := b.request(plain)
	if err != nil {
		return remote.fail(what, err)
	}
	resp, err := b.repository.client.auth.Do(req)
	if err != nil {
		return remote.fail(what, cause(b.ctx, err))
	}
	if err := b.accept(resp); err != nil {
		_ = resp.Body.Close()
		return err
	}
	b.body = resp.Body
	return nil
}

func (b *Blob) request(plain bool) (*http.Request, error) {
	repository := b.repository.remote.Repository
	reference := registry.Reference{Registry: repository.Registry, Repository: repository.Path, Reference: b.descriptor.Digest.String()}
	ctx := auth.AppendRepositoryScope(b.ctx, reference, auth.ActionPull)
	scheme := "https"
	if plain {
		scheme = "http"
	}
	address := fmt.Sprintf("%s://%s/v2/%s/blobs/%s", scheme, reference.Host(), reference.Repository, reference.Reference)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err == nil && b.offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", b.offset))
	}
	return req, err
}

// accept checks that the answer is the blob, from the right place on.
func (b *Blob) accept(resp *http.Response) error {
	remote := b.repository.remote
	what := fmt.Sprintf("the layer %s of %s", b.descriptor.Digest, b.repository.Name())
	switch resp.StatusCode {
	case http.StatusOK:
		if resp.ContentLength >= 0 && resp.ContentLength != b.descriptor.Size {
			return remote.fault(Rubbish, fmt.Sprintf("%s has %d bytes, its manifest says %d", what, resp.ContentLength, b.descriptor.Size))
		}
		if _, err := io.CopyN(io.Discard, resp.Body, b.offset); err != nil {
			return remote.fail(what+" broke off", cause(b.ctx, err))
		}
		return nil
	case http.StatusPartialContent:
		want := fmt.Sprintf("bytes %d-%d/%d", b.offset, b.descriptor.Size-1, b.descriptor.Size)
		if got := resp.Header.Get("Content-Range"); !strings.EqualFold(got, want) {
			return remote.fault(Rubbish, fmt.Sprintf("%s: asked for %q, the registry answered %q", what, want, got))
		}
		return nil
	default:
		return remote.fault(faultOfCode(resp.StatusCode), fmt.Sprintf("%s: the registry answered %q", what, resp.Status))
	}
}
