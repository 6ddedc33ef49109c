// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"strings"
	"testing"
)

func TestString(t *testing.T) {
	sha1Hash := strings.Repeat("a", 40)
	tests := map[string]struct {
		reason string
		in     Revision
		want   string
	}{
		"branch": {
			reason: "a branch is shown by its short name",
			in:     Revision{Name: "main", Hash: sha1Hash},
			want:   "main@sha1:" + sha1Hash,
		},
		"branch with slashes": {
			reason: "only the prefix refs/heads/ is dropped, by the caller; the rest stays",
			in:     Revision{Name: "feature/x", Hash: sha1Hash},
			want:   "feature/x@sha1:" + sha1Hash,
		},
		"full reference": {
			reason: "spec.ref.name keeps the reference as it was written",
			in:     Revision{Name: "refs/pull/420/head", Hash: sha1Hash},
			want:   "refs/pull/420/head@sha1:" + sha1Hash,
		},
		"bare commit": {
			reason: "a pinned commit has no name",
			in:     Revision{Hash: sha1Hash},
			want:   "sha1:" + sha1Hash,
		},
		"longer object name": {
			reason: "the algorithm follows from the length",
			in:     Revision{Name: "v1", Hash: strings.Repeat("b", 64)},
			want:   "v1@sha256:" + strings.Repeat("b", 64),
		},
		"no hash": {
			reason: "a revision that was not resolved is its name alone",
			in:     Revision{Name: "main"},
			want:   "main",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.in.String(); got != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
