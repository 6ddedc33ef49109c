// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cosign

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/tuf"
)

// retryRoot is how long a root that could not be fetched is not asked for again:
// each object that needs it would ask.
const retryRoot = time.Minute

// PublicRoot are the authorities of the public Sigstore, fetched when they are
// first needed and kept.
type PublicRoot struct {
	folder string
	now    func() time.Time

	mu       sync.Mutex
	material root.TrustedMaterial
	failed   error
	at       time.Time
}

// NewPublicRoot keeps its copy in a folder; empty for the user's own.
func NewPublicRoot(folder string, now func() time.Time) *PublicRoot {
	return &PublicRoot{folder: folder, now: now}
}

// Material gives the authorities.
func (p *PublicRoot) Material() (root.TrustedMaterial, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.material != nil {
		return p.material, nil
	}
	if p.failed != nil && p.now().Sub(p.at) < retryRoot {
		return nil, p.failed
	}
	options := tuf.DefaultOptions()
	if p.folder != "" {
		options = options.WithCachePath(filepath.Clean(p.folder))
	}
	p.at = p.now()
	material, err := root.NewLiveTrustedRoot(options)
	if err != nil {
		p.failed = fmt.Errorf("the root of the public Sigstore cannot be fetched; give one of your own by spec.verify.trustedRootSecretRef: %w", err)
		return nil, p.failed
	}
	p.material, p.failed = material, nil
	return material, nil
}
