// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package restraint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

// The breaker: so many reverts of one place within so long trip it, and it
// stays open until there was none for a while.
const (
	Reverts = 3
	Within  = 10 * time.Minute
	Quiet   = time.Hour
)

// Backoff of failed writes.
type Backoff struct {
	First, Longest time.Duration
	Factor         int
}

// BackoffOf reads an Application's, or the defaults.
func BackoffOf(s *api.SyncPolicy) Backoff {
	b := Backoff{First: 5 * time.Second, Longest: 3 * time.Minute, Factor: 2}
	if s == nil || s.Retry == nil {
		return b
	}
	said := s.Retry.Backoff
	if said.Duration != nil && said.Duration.Duration > 0 {
		b.First = said.Duration.Duration
	}
	if said.MaxDuration != nil && said.MaxDuration.Duration > 0 {
		b.Longest = said.MaxDuration.Duration
	}
	if said.Factor > 0 {
		b.Factor = int(said.Factor)
	}
	return b
}

// After is how long the next try waits after so many failures.
func (b Backoff) After(failures int) time.Duration {
	wait := b.First
	for range failures - 1 {
		if wait *= time.Duration(b.Factor); wait >= b.Longest || wait <= 0 {
			return b.Longest
		}
	}
	return min(wait, b.Longest)
}

// Ledger is what was tried for one application. The zero value is empty.
type Ledger struct {
	failures map[manifest.ID]failure
	reverts  map[plan.Key]*reverted
}

type failure struct {
	count   int
	until   time.Time
	message string
}

type reverted struct {
	times []time.Time
	by    string
}

// Failed books a write that did not happen.
func (l *Ledger) Failed(id manifest.ID, message string, b Backoff, now time.Time) {
	if l.failures == nil {
		l.failures = map[manifest.ID]failure{}
	}
	count := l.failures[id].count + 1
	l.failures[id] = failure{count: count, until: now.Add(b.After(count)), message: message}
}

// Succeeded forgets the failures of an object.
func (l *Ledger) Succeeded(id manifest.ID) { delete(l.failures, id) }

// Reverted books a revert of a place, and who had written there.
func (l *Ledger) Reverted(k plan.Key, by string, now time.Time) {
	if l.reverts == nil {
		l.reverts = map[plan.Key]*reverted{}
	}
	r := l.reverts[k]
	if r == nil {
		r = &reverted{}
		l.reverts[k] = r
	}
	r.times = append(recent(r.times, now, Quiet), now)
	if by != "" {
		r.by = by
	}
}

// Recall takes over the reverts that an earlier process booked.
func (l *Ledger) Recall(k plan.Key, by string, times []time.Time) {
	if l.reverts == nil {
		l.reverts = map[plan.Key]*reverted{}
	}
	l.reverts[k] = &reverted{times: slices.Clone(times), by: by}
}

// Reverts gives the reverts of the places of an object, for what outlives this
// process.
func (l *Ledger) Reverts(id manifest.ID, each func(pointer, by string, times []time.Time)) {
	for k, r := range l.reverts {
		if k.ID == id && len(r.times) > 0 {
			each(k.Pointer, r.by, r.times)
		}
	}
}

func recent(times []time.Time, now time.Time, within time.Duration) []time.Time {
	return slices.DeleteFunc(times, func(t time.Time) bool { return now.Sub(t) > within })
}

// Failing are the objects whose last write failed, with what stood against it.
func (l *Ledger) Failing() map[manifest.ID]string {
	failing := map[manifest.ID]string{}
	for id, f := range l.failures {
		failing[id] = "the last write failed, and is tried again with backoff: " + f.message
	}
	return failing
}

// Waits says whether the next try of an object is not due yet. After a jump of
// the clock backwards nothing waits longer than its backoff.
func (l *Ledger) Waits(id manifest.ID, b Backoff, now time.Time) bool {
	f, failed := l.failures[id]
	return failed && now.Before(f.until) && f.until.Sub(now) <= b.Longest
}

// Due is how long it is until the next try, and whether there is one.
func (l *Ledger) Due(now time.Time) (wait time.Duration, any bool) {
	for _, f := range l.failures {
		if left := max(f.until.Sub(now), 0); !any || left < wait {
			wait, any = left, true
		}
	}
	return wait, any
}

// Keep forgets objects that are neither declared nor in the inventory any more.
func (l *Ledger) Keep(known func(manifest.ID) bool) {
	for id := range l.failures {
		if !known(id) {
			delete(l.failures, id)
		}
	}
	for k := range l.reverts {
		if !known(k.ID) {
			delete(l.reverts, k)
		}
	}
}

// Contested are the places that the breaker keeps us off, with both writers.
func (l *Ledger) Contested(now time.Time) map[plan.Key]string {
	contested := map[plan.Key]string{}
	for k, r := range l.reverts {
		r.times = recent(r.times, now, Quiet)
		if len(r.times) == 0 {
			delete(l.reverts, k)
			continue
		}
		if tripped(r.times) {
			contested[k] = fmt.Sprintf("%s and %s write it in turn: reverted %d times within %s, left alone until it was quiet for %s",
				contract.DriftFieldManager, r.by, Reverts, short(Within), short(Quiet))
		}
	}
	return contested
}

// tripped says whether there were so many reverts so close together.
func tripped(times []time.Time) bool {
	for i := Reverts - 1; i < len(times); i++ {
		if times[i].Sub(times[i-Reverts+1]) <= Within {
			return true
		}
	}
	return false
}

func short(d time.Duration) string {
	return strings.TrimSuffix(d.String(), "0s")
}
