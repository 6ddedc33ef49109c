// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fluxcd/pkg/http/fetch"
	"github.com/fluxcd/pkg/tar"

	driftv1 "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Bounds of a rendered artifact, packed and unpacked.
const (
	maxArtifact  = 64 << 20
	maxManifests = 256 << 20
	fetchTimeout = 30 * time.Second
)

// manifestsFile is the one file of a rendered artifact.
const manifestsFile = "manifests.yaml"

// ArtifactError says why a rendered artifact could not be used. It never
// repeats the URL, whose path is not meant to be guessed.
type ArtifactError struct {
	Digest string
	Cause  string
}

func (e *ArtifactError) Error() string {
	return fmt.Sprintf("the rendered artifact %s cannot be read: %s", e.Digest, e.Cause)
}

// Manifests downloads a rendered artifact, verifies its digest and gives the
// manifests in it. Nothing stays on disk.
func Manifests(ctx context.Context, rendered driftv1.Rendered) ([]byte, error) {
	dir, err := os.MkdirTemp("", "rendered-")
	if err != nil {
		return nil, fmt.Errorf("a folder for the rendered artifact: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	// No retries within the call: they would hold a worker, and the queue
	// retries with backoff anyway.
	fetcher := fetch.New(fetch.WithRetries(0), fetch.WithMaxDownloadSize(maxArtifact),
		fetch.WithUntar(tar.WithMaxUntarSize(maxManifests)))
	if err := fetcher.FetchWithContext(ctx, rendered.URL, rendered.Digest, dir); err != nil {
		return nil, &ArtifactError{Digest: rendered.Digest, Cause: causeOf(ctx, err)}
	}
	manifests, err := os.ReadFile(filepath.Join(dir, manifestsFile))
	if err != nil {
		return nil, &ArtifactError{Digest: rendered.Digest, Cause: "it has no file " + manifestsFile}
	}
	return manifests, nil
}

// causeOf names the kind of failure in words of our own: the texts of the
// fetcher contain the URL.
func causeOf(ctx context.Context, err error) string {
	switch {
	case errors.Is(err, fetch.ErrFileNotFound):
		return "its server does not have it (any more)"
	case ctx.Err() != nil:
		return "its server did not answer in time"
	case strings.Contains(err.Error(), "failed to verify archive"):
		// The fetcher has no kind for this one error, only its text.
		return "its content does not match its digest"
	}
	return "its server cannot be reached or does not serve a valid archive"
}
