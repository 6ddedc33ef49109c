// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// TestUnfit: a source that cannot tell what Git says now is no ground for a
// write.
func TestUnfit(t *testing.T) {
	cases := map[string]struct {
		reason string
		source sourceState
		fit    bool
	}{
		"well":           {"it is ready, and about its present declaration", sourceState{current: true}, true},
		"suspended":      {"nobody fetches", sourceState{current: true, suspended: true}, false},
		"not ready":      {"the last fetch failed", sourceState{current: true, says: "GitOperationFailed: no route"}, false},
		"not current":    {"it was declared anew since", sourceState{}, false},
		"never reported": {"its status is empty", sourceState{says: "it reports no Ready condition"}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.source.unfit(); (got == "") != tc.fit {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}

// TestPending: while an answer is on its way to a run no other question is
// asked, also when the source gave it while the run was going on.
func TestPending(t *testing.T) {
	noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason  string
		ask     *asked
		handled string
		now     time.Time
		want    bool
	}{
		"never asked":     {"there is no question", nil, "", noon, false},
		"no answer yet":   {"it comes", &asked{token: "ours", at: noon}, "older", noon.Add(time.Second), true},
		"meanwhile":       {"this run had read the source before; the next one reads the answer", &asked{token: "ours", at: noon}, "older", noon.Add(time.Second), true},
		"read":            {"this run has the answer", &asked{token: "ours", at: noon}, "ours", noon.Add(time.Second), false},
		"somebody else's": {"their token went over ours, so it is asked anew in time", &asked{token: "ours", at: noon}, "theirs", noon.Add(askedFor), false},
		"clock set back":  {"how long ago it was asked is not known", &asked{token: "ours", at: noon}, "older", noon.Add(-time.Second), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.ask.pending(tc.handled, tc.now); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// TestAnswered: only the answer to our own question wakes anybody, and those
// who wait for it alone.
func TestAnswered(t *testing.T) {
	key := sourceKey{kind: "GitRepository", name: types.NamespacedName{Namespace: "shop", Name: "repo"}}
	app := types.NamespacedName{Namespace: "shop", Name: "web"}
	s := &askedSources{asks: map[sourceKey]*asked{key: {token: "ours", waiting: map[types.NamespacedName]bool{app: true}}}}
	if got := s.answered(key, "somebody else's"); len(got) != 0 {
		t.Errorf("another token is another question: %v", got)
	}
	if got := s.answered(sourceKey{}, "ours"); len(got) != 0 {
		t.Errorf("another source: %v", got)
	}
	if got := s.answered(key, "ours"); len(got) != 1 || got[0].NamespacedName != app {
		t.Errorf("it waited: %v", got)
	}
	if got := s.answered(key, "ours"); len(got) != 0 {
		t.Errorf("it waits no more: %v", got)
	}
}
