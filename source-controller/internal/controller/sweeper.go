// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gitremote"
)

// sweepEvery is how often unused mirrors are looked for.
const sweepEvery = 10 * time.Minute

// sweeper removes mirrors that no source has asked for in a while.
type sweeper struct {
	mirrors *gitremote.Mirrors
	keep    time.Duration
}

// Start sweeps until the context ends.
func (s sweeper) Start(ctx context.Context) error {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-ticker.C:
			removed, err := s.mirrors.Sweep(now.Add(-s.keep))
			if err != nil {
				ctrl.Log.WithName("sweeper").Error(err, "cannot remove unused Git mirrors")
			}
			if removed > 0 {
				ctrl.Log.WithName("sweeper").Info("removed unused Git mirrors", "number", removed)
			}
		}
	}
}
