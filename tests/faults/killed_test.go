// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/holdfast-gitops/holdfast/tests/audit"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/holdfast"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// number is a setting of make faults.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	said := os.Getenv(name)
	if said == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(said, 10, 32)
	if err != nil {
		t.Fatalf("%s=%s is no number: %v", name, said, err)
	}
	return n
}

// together is how many worlds there are at a time.
const together = 12

// TestKilled: in each world a commit adds, changes and drops objects, people
// edit, delete and recreate them, something else goes wrong, and the controller
// is killed somewhere on its way, more than once. Whatever was sent before and
// after, the audit log has no write that the stage does not grant and no
// deletion but of what the commit dropped; and in the end the cluster is what
// Git says, with what people made untouched.
func TestKilled(t *testing.T) {
	if !lab.Get(t).Cluster.Embedded() {
		t.Log("not proved: the audit log of the cluster in " + cluster.EnvKubeconfig + " cannot be read from here")
		return
	}
	const few = 6
	path, err := lab.Get(t).Cluster.AuditLog()
	must(t, err)
	log := &audit.Log{Path: path}
	first, count := number(t, "FAULTS_FIRST", 1), number(t, "FAULTS_KILLS", few)
	for from := first; from < first+count && t.Context().Err() == nil; from += together {
		to := min(from+together, first+count)
		again := fmt.Sprintf("FAULTS_FIRST=%d FAULTS_KILLS=%d", from, to-from)
		if !t.Run(again, func(t *testing.T) { (&batch{from: from, to: to, log: log}).run(t) }) {
			t.Log(again, "shows it again")
		}
	}
}

// batch is some worlds under one controller.
type batch struct {
	from, to uint64
	rand     *rand.Rand
	worlds   []*world
	lab      *lab.Lab
	log      *audit.Log
	read     int // events of the log that were counted
	kills    int
}

func (b *batch) run(t *testing.T) {
	b.rand, b.lab = rand.New(rand.NewPCG(b.from, 29)), lab.Get(t) //nolint:gosec // worlds, not secrets
	clock.unmoved = true
	for seed := b.from; seed < b.to; seed++ {
		b.worlds = append(b.worlds, imagine(seed))
	}
	for _, w := range b.worlds {
		w.begin(t.Context(), t)
	}
	must(t, b.each(t.Context(), (*world).rests))
	for _, w := range b.worlds {
		w.began = time.Now()
	}
	events, err := b.log.Read()
	must(t, err)
	b.read = len(events)
	must(t, b.upheaval(t.Context()))
	err = b.each(t.Context(), (*world).settles)
	// The log is read whatever came of it: it tells the reason, if any does.
	writes, deletions := 0, 0
	for _, w := range b.worlds {
		some, gone, wrong := w.judge(t.Context())
		if wrong != nil {
			t.Errorf("%s: %v", w, wrong)
		}
		writes, deletions = writes+some, deletions+gone
	}
	must(t, err)
	t.Logf("%d worlds, %d kills, clock moved: %t: %d writes and %d deletions, none of them wrong",
		len(b.worlds), b.kills, !clock.unmoved, writes, deletions)
}

// each does something in all worlds at once.
func (b *batch) each(ctx context.Context, do func(*world, context.Context) error) error {
	var group errgroup.Group
	for _, w := range b.worlds {
		group.Go(func() error {
			if err := do(w, ctx); err != nil {
				return fmt.Errorf("%s: %w", w, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// upheaval is what happens in all worlds while the controller dies.
func (b *batch) upheaval(ctx context.Context) error {
	var group errgroup.Group
	group.Go(func() error { return b.each(ctx, (*world).suffers) })
	group.Go(func() error { return b.dies(ctx) })
	if err := group.Wait(); err != nil {
		return err
	}
	if !clock.unmoved {
		if err := b.jump(ctx, 0); err != nil {
			return err
		}
	}
	return b.each(ctx, func(w *world, ctx context.Context) error { return w.fault.end(ctx, w) })
}

// suffers is the commit, the people and the fault, in an order that is drawn.
func (w *world) suffers(ctx context.Context) error {
	fault := func(ctx context.Context) error { return w.fault.begin(ctx, w) }
	steps := []func(context.Context) error{w.move, w.usurp, fault}
	if w.fault.first {
		steps = []func(context.Context) error{fault, w.move, w.usurp}
	}
	if at := w.rand.IntN(len(steps) + 1); at < len(steps) {
		steps = slices.Insert(steps, at, w.people)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// jumps of the controller's clock; most batches have none.
var jumps = []time.Duration{0, 0, 0, 0, 0, 0, 2 * time.Hour, -2 * time.Hour, 25 * time.Hour}

// dies kills the controller a few times, each time after a number of its writes
// that is drawn, or when it has no more to send. If the clock jumps it does so
// while it is dead, and jumps back at the next death.
func (b *batch) dies(ctx context.Context) error {
	jump := jumps[b.rand.IntN(len(jumps))]
	b.kills = 1 + b.rand.IntN(3)
	for i := range b.kills {
		if err := b.sent(ctx, b.rand.IntN(8*len(b.worlds))); err != nil {
			return err
		}
		by := time.Duration(0)
		if i == 0 {
			by = jump
		}
		if err := b.jump(ctx, by); err != nil {
			return err
		}
	}
	return b.sent(ctx, 1<<30)
}

// jump kills the controller and starts it with a clock that is off.
func (b *batch) jump(ctx context.Context, by time.Duration) error {
	b.lab.Controllers.Kill(holdfast.Drift)
	if by != 0 {
		clock.unmoved = false
	}
	if err := clock.jump(by); err != nil {
		return err
	}
	return b.lab.Controllers.Start(ctx, holdfast.Drift)
}

// sent waits for so many writes of the controller from now on, or until it has
// sent none for a while.
func (b *batch) sent(ctx context.Context, writes int) error {
	const idle = 3 * time.Second
	last, seen := time.Now(), 0
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		events, err := b.log.Read()
		if err != nil {
			return err
		}
		fresh := events[b.read:]
		b.read = len(events)
		if now := len(audit.Select(fresh, audit.ByUser(holdfast.Account(holdfast.Drift)), audit.Persisting)); now > 0 {
			seen, last = seen+now, time.Now()
		}
		if seen > writes || time.Since(last) > idle {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
