// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// sweepEvery is how often unused files are looked for.
const sweepEvery = 10 * time.Minute

// sweeper removes from a folder what no source has asked for in a while.
type sweeper struct {
	what   string
	folder interface {
		Sweep(before time.Time) (int, error)
	}
	keep time.Duration
}

// Start sweeps until the context ends.
func (s sweeper) Start(ctx context.Context) error {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	log := ctrl.Log.WithName("sweeper").WithValues("what", s.what)
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-ticker.C:
			removed, err := s.folder.Sweep(now.Add(-s.keep))
			if err != nil {
				log.Error(err, "cannot remove what is unused")
			}
			if removed > 0 {
				log.Info("removed what is unused", "number", removed)
			}
		}
	}
}
