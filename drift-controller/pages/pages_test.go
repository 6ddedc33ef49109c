// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package pages_test

import (
	"fmt"
	"testing"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/pages"
)

func TestCount(t *testing.T) {
	cases := map[string]struct {
		reason     string
		n, perPage int
		want       int
	}{
		"nothing":     {"there is always one, so that a reader finds something", 0, 64, 1},
		"one page":    {"as many as fit", 64, 64, 1},
		"one more":    {"the next power of two", 65, 64, 2},
		"many":        {"a power of two moves half of the objects when it changes, and rarely does", 1000, 64, 16},
		"exact":       {"no page more than needed", 1024, 64, 16},
		"out of hand": {"the number of API objects is bounded", 10_000_000, 64, 1024},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := pages.Count(tc.n, tc.perPage); got != tc.want {
				t.Errorf("%s: want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

func TestOf(t *testing.T) {
	const objects, count = 4096, 16
	filled := make([]int, count)
	for i := range objects {
		id := manifest.ID{Kind: "ConfigMap", Namespace: "n", Name: fmt.Sprintf("c-%d", i)}
		page := pages.Of(id, count)
		if page < 0 || page >= count || page != pages.Of(id, count) {
			t.Fatalf("%s is on page %d of %d", id, page, count)
		}
		if half := pages.Of(id, count/2); half != page%(count/2) {
			t.Errorf("%s: with half the pages on page %d, want %d: twice the pages split each in two", id, half, page%(count/2))
		}
		filled[page]++
	}
	for page, n := range filled {
		if n < objects/count/2 || n > objects/count*2 {
			t.Errorf("page %d has %d of %d objects: they do not spread", page, n, objects)
		}
	}
	a := manifest.ID{Group: "g", Kind: "K", Namespace: "n", Name: "x"}
	if got := pages.Of(a, 1); got != 0 {
		t.Errorf("the only page is 0, got %d", got)
	}
}
