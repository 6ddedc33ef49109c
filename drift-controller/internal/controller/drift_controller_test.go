// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// TestCatchUp: a watch cache that lags behind our own write must not be taken
// for the truth, for then news looks like none and is never written.
func TestCatchUp(t *testing.T) {
	ours := written{version: "100", status: &api.ApplicationStatus{Notes: []string{"ours"}}}
	cases := map[string]struct {
		reason  string
		known   written
		version string
		want    string
	}{
		"behind":        {"the cache has not seen our write", ours, "99", "ours"},
		"behind longer": {"numbers are compared, not texts", ours, "9", "ours"},
		"level":         {"the cache has our write", ours, "100", "read"},
		"ahead":         {"somebody wrote since", ours, "1000", "read"},
		"no write yet":  {"nothing is known that is newer", written{}, "7", "read"},
		"no number":     {"an order cannot be told, so what was read counts", ours, "", "read"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := &api.Application{Status: api.ApplicationStatus{Notes: []string{"read"}}}
			app.ResourceVersion = tc.version
			tc.known.catchUp(app)
			if got := app.Status.Notes[0]; got != tc.want {
				t.Errorf("%s: the status is the one that was %s, not %s", tc.reason, got, tc.want)
			}
			if app.ResourceVersion != tc.version && app.ResourceVersion != tc.known.version {
				t.Errorf("%s: resourceVersion %s", tc.reason, app.ResourceVersion)
			}
		})
	}
}
