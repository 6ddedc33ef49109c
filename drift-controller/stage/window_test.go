// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package stage_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

func window(schedule, zone, duration string, most api.Stage) api.StageWindow {
	d, err := time.ParseDuration(duration)
	if err != nil {
		panic(err)
	}
	return api.StageWindow{Schedule: schedule, TimeZone: zone, Duration: metav1.Duration{Duration: d}, MaxStage: most}
}

// TestWindows: what is not open is Observe, and what cannot be read never opens.
func TestWindows(t *testing.T) {
	nights := window("0 22 * * 1-5", "", "8h", api.StageSelfHeal)
	cases := map[string]struct {
		reason  string
		now     string
		windows []api.StageWindow
		want    api.Stage
		by      string
	}{
		"none":            {"no windows limit nothing", "2026-05-04T12:00:00Z", nil, api.StagePrune, ""},
		"before":          {"it says when", "2026-05-04T21:59:59Z", []api.StageWindow{nights}, api.StageObserve, "the next opens Mon 2026-05-04 22:00 UTC"},
		"the first":       {"a window holds its first instant", "2026-05-04T22:00:00Z", []api.StageWindow{nights}, api.StageSelfHeal, "until Tue 2026-05-05 06:00 UTC"},
		"past midnight":   {"it was opened yesterday", "2026-05-05T05:59:59Z", []api.StageWindow{nights}, api.StageSelfHeal, "is open"},
		"the end":         {"and not its last", "2026-05-05T06:00:00Z", []api.StageWindow{nights}, api.StageObserve, "the next opens Tue"},
		"the furthest":    {"two are open", "2026-05-04T23:00:00Z", []api.StageWindow{window("0 0 * * *", "", "24h", api.StageSync), nights}, api.StageSelfHeal, "22"},
		"a lower one":     {"the other is shut", "2026-05-04T12:00:00Z", []api.StageWindow{window("0 0 * * *", "", "24h", api.StageSync), nights}, api.StageSync, "0 0"},
		"zone":            {"22 h in Berlin is 20 h UTC in summer", "2026-05-04T20:30:00Z", []api.StageWindow{window("0 22 * * *", "Europe/Berlin", "1h", api.StageSync)}, api.StageSync, "23:00 CEST"},
		"clocks forward":  {"2:30 does not exist that night; later times do", "2026-03-29T01:30:00Z", []api.StageWindow{window("0 3 * * *", "Europe/Berlin", "1h", api.StageSync)}, api.StageSync, "04:00 CEST"},
		"overlapping":     {"the later opening ends later", "2026-05-04T10:30:00Z", []api.StageWindow{window("0 * * * *", "", "90m", api.StageSync)}, api.StageSync, "11:30"},
		"no zone":         {"nobody knows when that is", "2026-05-04T12:00:00Z", []api.StageWindow{window("* * * * *", "Mars/Olympus", "1h", api.StagePrune)}, api.StageObserve, "timeZone"},
		"no schedule":     {"nor that", "2026-05-04T12:00:00Z", []api.StageWindow{window("61 * * * *", "", "1h", api.StagePrune)}, api.StageObserve, "schedule"},
		"no duration":     {"it never opens", "2026-05-04T12:00:00Z", []api.StageWindow{window("* * * * *", "", "0s", api.StagePrune)}, api.StageObserve, "no time"},
		"one of two":      {"the other opens", "2026-05-04T12:00:00Z", []api.StageWindow{window("61 * * * *", "", "1h", api.StagePrune), window("0 12 * * *", "", "1h", api.StageSync)}, api.StageSync, "0 12"},
		"never":           {"there is no 31 February", "2026-05-04T12:00:00Z", []api.StageWindow{window("0 0 31 2 *", "", "1h", api.StageSync)}, api.StageObserve, "no window ever opens"},
		"Observe is open": {"it is a window like others", "2026-05-04T12:00:00Z", []api.StageWindow{window("* * * * *", "", "1h", api.StageObserve)}, api.StageObserve, "is open"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now, err := time.Parse(time.RFC3339, tc.now)
			if err != nil {
				t.Fatal(err)
			}
			got := stage.Windows(tc.windows, now)
			if got.Stage != tc.want || !strings.Contains(got.By, tc.by) {
				t.Errorf("%s: want %s, %q; got %s, %q", tc.reason, tc.want, tc.by, got.Stage, got.By)
			}
		})
	}
}
