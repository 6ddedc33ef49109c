// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"time"
)

// interval between two questions while a person waits.
const interval = 250 * time.Millisecond

// Seen is what a probe found: whether it is what was waited for, and what to
// say if that never comes.
type Seen struct {
	Done bool
	Word string
}

// Await asks until the probe is content. At the end of its patience it says
// what was seen last. What fails on the way ends it, but for an API server
// that does not answer: that may pass.
func (c *Cluster) Await(ctx context.Context, patience time.Duration, what string, probe func(context.Context) (Seen, error)) error {
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	last := "nothing was seen"
	for {
		seen, err := probe(ctx)
		switch {
		case err == nil && seen.Done:
			return nil
		case err == nil:
			last = seen.Word
		case ctx.Err() == nil && !IsKind(err, Unreachable):
			return err
		case ctx.Err() == nil:
			last = err.Error()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return &Fault{Kind: Interrupted, What: "interrupted while waiting for " + what, Cause: ctx.Err()}
		case <-end.C:
			return &Fault{Kind: TimedOut, What: fmt.Sprintf("%s did not come within %s: %s", what, patience, last),
				Next: "It may still come: look again, see the controllers' logs, or wait longer with --timeout."}
		}
	}
}
