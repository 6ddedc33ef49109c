// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package restraint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/restraint"
)

var (
	noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	web  = manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
)

// TestBackoffNeverGivesUp: a webhook that refuses for long is asked ever more
// rarely, never not at all, and the first success makes it all good.
func TestBackoffNeverGivesUp(t *testing.T) {
	b, l, now := restraint.BackoffOf(nil), &restraint.Ledger{}, noon
	for try := range 500 {
		l.Failed(web, "refused", b, now)
		if !l.Waits(web, b, now) || l.Failing()[web] == "" {
			t.Fatalf("try %d: the next comes at once", try)
		}
		wait, due := l.Due(now)
		if !due || wait <= 0 || wait > b.Longest {
			t.Fatalf("try %d: the next comes in %s (%t)", try, wait, due)
		}
		now = now.Add(wait)
		if l.Waits(web, b, now) {
			t.Fatalf("try %d: it is due and held", try)
		}
	}
	l.Failed(web, "refused", b, now)
	if back := now.Add(-48 * time.Hour); l.Waits(web, b, back) {
		t.Error("a clock that jumped back holds it for days")
	}
	l.Succeeded(web)
	if _, due := l.Due(now); due || len(l.Failing()) > 0 {
		t.Error("what succeeded is held")
	}
}

func TestBackoffGrows(t *testing.T) {
	b := restraint.Backoff{First: 5 * time.Second, Factor: 2, Longest: 30 * time.Second}
	for failures, want := range map[int]time.Duration{1: 5 * time.Second, 2: 10 * time.Second, 3: 20 * time.Second, 4: 30 * time.Second, 1000: 30 * time.Second} {
		if got := b.After(failures); got != want {
			t.Errorf("after %d failures: want %s, got %s", failures, want, got)
		}
	}
}

func TestBreaker(t *testing.T) {
	image, tag := plan.Key{ID: web, Pointer: "/spec/image"}, plan.Key{ID: web, Pointer: "/spec/tag"}
	cases := map[string]struct {
		reason  string
		reverts []time.Duration // after noon
		at      time.Duration
		want    bool
	}{
		"once":            {"an edit is an edit", []time.Duration{0}, time.Second, false},
		"twice":           {"so are two", []time.Duration{0, time.Minute}, 2 * time.Minute, false},
		"three in a row":  {"somebody writes it back each time", []time.Duration{0, time.Minute, 2 * time.Minute}, 3 * time.Minute, true},
		"three in a day":  {"people edit things", []time.Duration{0, 20 * time.Minute, 40 * time.Minute}, 41 * time.Minute, false},
		"still fresh":     {"it stays open for a while", []time.Duration{0, time.Minute, 2 * time.Minute}, 50 * time.Minute, true},
		"quiet for long":  {"then it may be tried again", []time.Duration{0, time.Minute, 2 * time.Minute}, 3 * time.Hour, false},
		"slow, then fast": {"the close ones count", []time.Duration{0, 30 * time.Minute, 31 * time.Minute, 32 * time.Minute}, 33 * time.Minute, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := &restraint.Ledger{}
			for _, at := range tc.reverts {
				l.Reverted(image, "rival", noon.Add(at))
			}
			l.Reverted(tag, "somebody", noon)
			contested := l.Contested(noon.Add(tc.at))
			if got := contested[image] != ""; got != tc.want {
				t.Errorf("%s: contested %t, want %t", tc.reason, got, tc.want)
			}
			if tc.want && (!strings.Contains(contested[image], "rival") || !strings.Contains(contested[image], "drift-controller")) {
				t.Errorf("both writers are named: %q", contested[image])
			}
			if contested[tag] != "" {
				t.Error("the rest goes on")
			}
		})
	}
}
