// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"testing"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

func TestWords(t *testing.T) {
	none, db := (*api.Value)(nil), &api.Value{JSON: `"db"`}
	tests := map[string]struct {
		reason    string
		kind      api.DifferenceKind
		wanted    *api.Value
		next, why string
		right     bool
	}{
		"declared":        {"Git says it", api.Changed, db, "will be reverted to what Git declares", "edited with k9s", true},
		"not declared":    {"there is nothing in Git to revert to", api.Changed, none, "would be reverted to what Git declares", "", false},
		"default":         {"the server would put its own there", api.Changed, none, "would be set back to the API server's own 1, since Git does not declare it", "changed with k9s", true},
		"default removed": {"a value takes its place", api.Changed, none, "would be removed, since Git does not declare it", "", false},
		"added":           {"nothing takes its place", api.Added, none, "would be removed, since Git does not declare it", "added with k9s", true},
		"no default":      {"the server stores nothing there", api.Added, none, "would be set back to the API server's own value, since Git does not declare it", "", false},
		"not added":       {"a default stood there before", api.Changed, none, "", "added with k9s", false},
		"denied":          {"Git has it", api.Changed, db, "would be removed, since Git does not declare it", "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			line := Line{Listed: true, DriftEntry: api.DriftEntry{
				Path: "/spec/x", Kind: test.kind, Wanted: test.wanted, Next: test.next, Explanation: test.why,
			}}
			if got := Words(Outcome{Lines: []Line{line}}); (len(got) == 0) != test.right {
				t.Errorf("%s: problems %v", test.reason, got)
			}
		})
	}
}
