// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package artifact

import (
	"errors"
	"io/fs"
	"net/url"
	"sync"

	"github.com/fluxcd/pkg/apis/meta"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
)

// The kinds of fault; use errors.Is. All of them are halts to be retried: the
// source replaces an artifact that is gone or broken.
var (
	ErrNotFound    = errors.New("the artifact is gone")
	ErrUnreachable = errors.New("the artifact cannot be downloaded")
	ErrDigest      = errors.New("the artifact does not match its digest")
	ErrTooLarge    = errors.New("the artifact is too large")
	ErrArchive     = errors.New("the artifact is no readable archive")
	ErrLocal       = errors.New("the artifact cannot be stored")
)

// Ref is an artifact as the status of a source names it.
type Ref struct {
	URL      string
	Digest   string
	Revision string
	// Size in bytes of the archive, 0 if it is not known.
	Size int64
}

// RefOf reads the artifact of a source's status.
func RefOf(a *meta.Artifact) Ref {
	if a == nil {
		return Ref{}
	}
	ref := Ref{URL: a.URL, Digest: a.Digest, Revision: a.Revision}
	if a.Size != nil {
		ref.Size = *a.Size
	}
	return ref
}

// Tree is an unpacked artifact in use. Close it, or it is kept for ever.
type Tree struct {
	ref   Ref
	entry *entry
	store *Store
	once  sync.Once
}

// FS is the content. It must not be used after Close.
func (t *Tree) FS() fs.FS { return t.entry.root.FS() }

// Ref is what was opened.
func (t *Tree) Ref() Ref { return t.ref }

// Links are symbolic links of the archive, which are never unpacked.
func (t *Tree) Links() []string { return t.entry.links }

// Close says that the caller is done. Closing twice does nothing.
func (t *Tree) Close() {
	t.once.Do(func() { t.store.release(t.entry) })
}

// failed makes a halt of a fault.
func failed(ref Ref, kind error, detail string) error {
	return halt.Retryf(contract.ArtifactFailedReason, "%w: %s (%s): %s", kind, place(ref), ref.Revision, detail)
}

// interrupted keeps the context's error in the chain, so that others who wait
// for the same download can tell that it was not the artifact's fault.
func interrupted(ref Ref, cause error) error {
	return halt.Retryf(contract.ArtifactFailedReason, "%w: %s (%s): given up: %w", ErrUnreachable, place(ref), ref.Revision, cause)
}

func place(ref Ref) string {
	parsed, err := url.Parse(ref.URL)
	if err != nil {
		return "a URL that cannot be read"
	}
	return parsed.Redacted()
}
