// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package target

import "testing"

func TestParse(t *testing.T) {
	tests := map[string]struct {
		reason, argument string
		want             string
		refused          bool
	}{
		"a name":         {reason: "an Application is what people mean", argument: "web", want: "Application web"},
		"a kind":         {reason: "as kubectl has it", argument: "gitrepository/repo", want: "GitRepository repo"},
		"a short name":   {reason: "kubectl's", argument: "ocirepo/x", want: "OCIRepository x"},
		"not offered":    {reason: "a rollout is not reconciled", argument: "stagerollout/x", refused: true},
		"no such kind":   {reason: "those that exist are named", argument: "deploy/x", refused: true},
		"no name":        {reason: "half an argument", argument: "application/", refused: true},
		"nothing at all": {reason: "an empty variable in a script", argument: "", refused: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(tc.argument, "Application", "GitRepository", "OCIRepository")
			if (err != nil) != tc.refused {
				t.Fatalf("%s: error %v, want refused %v", tc.reason, err, tc.refused)
			}
			if err == nil && got.String() != tc.want {
				t.Errorf("%s: got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
