// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
)

// Sources looks into the files in Git that Applications are rendered from. It
// keeps places and names, never a value. One source is read at a time, which
// bounds memory and disk; it is safe for use by several workers.
type Sources struct {
	now func() time.Time

	mu    sync.Mutex
	known map[types.NamespacedName]knownSource
	// archives were downloaded last; many Applications share one.
	archives []archiveFile
	failed   failedArchive
}

// sourceKey is all that the answer about an Application depends on.
type sourceKey struct {
	digest, path, namespace string
	raw                     bool
}

type knownSource struct {
	key    sourceKey
	source declaration.Source
	tried  time.Time
}

// NewSources knows no source yet. The clock is only for retries.
func NewSources(now func() time.Time) *Sources {
	return &Sources{now: now, known: map[types.NamespacedName]knownSource{}}
}

// Load gives what the files below the path of a rendered Application say, from
// memory if they are those that were read last. Where they cannot be read the
// answer holds the reason. Raw asks to look into files that are in no rendered
// set too.
func (s *Sources) Load(ctx context.Context, app *driftv1.Application, raw bool) declaration.Source {
	name := types.NamespacedName{Namespace: app.Namespace, Name: app.Name}
	rendered := app.Status.Rendered
	key := sourceKey{
		digest: rendered.SourceDigest, path: path.Clean(app.Spec.Path),
		namespace: destinationOf(app).namespace, raw: raw,
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, known := s.known[name]
	if known && have.key == key && (have.source.Known || s.now().Sub(have.tried) < retryUnread) {
		return have.source
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	source, err := s.read(ctx, rendered.SourceURL, key)
	if err != nil {
		source = declaration.Source{Reason: err.Error()}
	}
	s.known[name] = knownSource{key: key, source: source, tried: s.now()}
	return source
}

// Forget drops an Application that is gone.
func (s *Sources) Forget(name types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, name)
}

// read unpacks what is looked at into a folder of its own and looks at it. The
// caller holds the lock.
func (s *Sources) read(ctx context.Context, url string, key sourceKey) (declaration.Source, error) {
	archive, err := s.archive(ctx, url, key.digest)
	if err != nil {
		return declaration.Source{}, err
	}
	dir, err := os.MkdirTemp("", "source-")
	if err != nil {
		return declaration.Source{}, &SourceError{Digest: key.digest, Cause: noRoom}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := unpackSource(ctx, archive, dir, key); err != nil {
		return declaration.Source{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return declaration.Source{}, &SourceError{Digest: key.digest, Cause: noRoom}
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(key.path, 0o700); err != nil {
		return declaration.Source{}, &SourceError{Digest: key.digest, Cause: "its path is no folder"}
	}
	source, err := declaration.ReadSource(patient{ctx: ctx, FS: root.FS()}, key.path, declaration.SourceOptions{
		Options: declaration.Options{Namespace: key.namespace}, Raw: key.raw,
	})
	if err != nil {
		return declaration.Source{}, &SourceError{Digest: key.digest, Cause: unreadable(ctx)}
	}
	// Of the objects only what was encrypted is asked after. Other GitOps
	// tools do nothing to what Holdfast renders, even where their objects
	// stand beside it.
	source.Objects = declaration.Set{Secrets: source.Objects.Secrets, SealedSecrets: source.Objects.SealedSecrets}
	return source, nil
}

// patient is a file system that is read until a context ends.
type patient struct {
	ctx context.Context
	fs.FS
}

func (p patient) Open(name string) (fs.File, error) {
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	return p.FS.Open(name)
}
