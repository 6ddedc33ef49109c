// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"

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

// TestAnswered: only the answer to our own question wakes anybody, and those
// who wait for it alone.
func TestAnswered(t *testing.T) {
	key := sourceKey{kind: "GitRepository", name: types.NamespacedName{Namespace: "shop", Name: "repo"}}
	app := types.NamespacedName{Namespace: "shop", Name: "web"}
	s := &askedSources{asks: map[sourceKey]*asked{key: {token: "ours", waiting: map[types.NamespacedName]bool{app: true}}}}
	if got := s.answered(key, "somebody else's"); len(got) != 0 || s.asks[key].done {
		t.Errorf("another token is another question: %v", got)
	}
	if got := s.answered(sourceKey{}, "ours"); len(got) != 0 {
		t.Errorf("another source: %v", got)
	}
	if got := s.answered(key, "ours"); len(got) != 1 || got[0].NamespacedName != app || !s.asks[key].done {
		t.Errorf("it waited: %v", got)
	}
	if got := s.answered(key, "ours"); len(got) != 0 {
		t.Errorf("it waits no more: %v", got)
	}
}
