// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package clocks_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	testclock "k8s.io/utils/clock/testing"

	"github.com/holdfast-gitops/holdfast/drift-controller/internal/clocks"
)

// TestTwoClocks: whichever of the two jumps, and whichever way, the other one
// bounds what has passed.
func TestTwoClocks(t *testing.T) {
	var date time.Time
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if date.IsZero() {
			w.Header()["Date"] = nil // as no API server does
			return
		}
		w.Header().Set("Date", date.UTC().Format(http.TimeFormat))
	}))
	defer server.Close()
	noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason      string
		ours        time.Time
		theirs      time.Time
		early, late time.Time
	}{
		"they agree":       {"one clock", noon, noon, noon, noon},
		"within a header":  {"whole seconds, and answers take their time", noon, noon.Add(-3 * time.Second), noon, noon},
		"ours is ahead":    {"a quarantine is not over yet", noon.Add(time.Hour), noon, noon, noon.Add(time.Hour)},
		"ours is behind":   {"a tombstone is not older than it is", noon.Add(-time.Hour), noon, noon.Add(-time.Hour), noon},
		"theirs is unsaid": {"then there is only one", noon, time.Time{}, noon, noon},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			date = tc.theirs
			c := clocks.New(testclock.NewFakePassiveClock(tc.ours))
			client := &http.Client{Transport: c.Wrap(http.DefaultTransport)}
			answer, err := client.Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			got := c.Times()
			near := func(got, want time.Time) bool { return got.Sub(want).Abs() < clocks.Tolerance }
			if !got.Now.Equal(tc.ours) || !near(got.Early, tc.early) || !near(got.Late, tc.late) {
				t.Errorf("%s: %+v, want early %s and late %s", tc.reason, got, tc.early, tc.late)
			}
			if apart := tc.late.Sub(tc.early); !near(noon.Add(got.Apart()), noon.Add(apart)) {
				t.Errorf("%s apart, want %s", got.Apart(), apart)
			}
		})
	}
}
