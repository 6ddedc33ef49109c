// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const app = `{namespace="shop",application="users"}`

// of is a series of the application: its name, more labels, its values.
func of(name, more, values string) string {
	return "holdfast_" + name + strings.TrimSuffix(app, "}") + more + "} " + values
}

// since is a timestamp so long before the first sample, for a day.
func since(ago time.Duration) string {
	return fmt.Sprintf("%dx1500", began.Add(-ago).Unix())
}

func up(job, values string) string {
	return `up{namespace="holdfast-system",job="` + job + `"} ` + values
}

var cases = map[string][]struct {
	why    string
	series []string
	at     time.Duration
	fires  bool
}{
	"HoldfastDriftOld": {
		{"older than a day", []string{of("drift_oldest_seconds", "", "86401+60x30")}, 20 * time.Minute, true},
		{"a working day is no alert", []string{of("drift_oldest_seconds", "", "30000+60x30")}, 20 * time.Minute, false},
		{"no drift", []string{of("drift_oldest_seconds", "", "0x30")}, 20 * time.Minute, false},
	},
	"HoldfastContested": {
		{"two writers", []string{of("contested_places", "", "1x30")}, 10 * time.Minute, true},
		{"it ended meanwhile", []string{of("contested_places", "", "1x3 0x20")}, 10 * time.Minute, false},
	},
	"HoldfastBreakGlassOpenLong": {
		{"open for five hours", []string{of("break_glass", `,phase="Open"`, "1x30"), of("break_glass_since_timestamp_seconds", "", since(5*time.Hour))}, 0, true},
		{"open for an hour", []string{of("break_glass", `,phase="Open"`, "1x30"), of("break_glass_since_timestamp_seconds", "", since(time.Hour))}, 0, false},
		{"none: since is 0 and looks very old", []string{of("break_glass", `,phase="Open"`, "0x30"), of("break_glass_since_timestamp_seconds", "", "0x30")}, 0, false},
	},
	"HoldfastBreakGlassHeld": {
		{"over, with edits", []string{of("break_glass", `,phase="Held"`, "1x30")}, 15 * time.Minute, true},
		{"open", []string{of("break_glass", `,phase="Held"`, "0x30"), of("break_glass", `,phase="Open"`, "1x30")}, 15 * time.Minute, false},
	},
	"HoldfastSourceStale": {
		{"for an hour", []string{of("source_stale_since_timestamp_seconds", "", since(time.Hour))}, 5 * time.Minute, true},
		{"for ten minutes", []string{of("source_stale_since_timestamp_seconds", "", since(10*time.Minute))}, 5 * time.Minute, false},
		{"ready: 0 looks very old", []string{of("source_stale_since_timestamp_seconds", "", "0x30")}, 5 * time.Minute, false},
	},
	"HoldfastPruneAwaitsApproval": {
		{"it waits", []string{of("plan_actions_awaiting_approval", `,plan="prune"`, "3x60")}, 30 * time.Minute, true},
		{"the other plan", []string{of("plan_actions_awaiting_approval", `,plan="heal"`, "3x60")}, 30 * time.Minute, false},
	},
	"HoldfastHealAwaitsApproval": {
		{"it waits", []string{of("plan_actions_awaiting_approval", `,plan="heal"`, "3x60")}, 30 * time.Minute, true},
		{"nothing waits", []string{of("plan_actions_awaiting_approval", `,plan="heal"`, "0x60")}, 30 * time.Minute, false},
	},
	"HoldfastSecretsDenied": {
		{"denied", []string{of("secret_verdict", `,gate="Declaration",verdict="Deny"`, "1x30")}, 15 * time.Minute, true},
		{"passed", []string{of("secret_verdict", `,gate="Declaration",verdict="Deny"`, "0x30"), of("secret_verdict", `,gate="Declaration",verdict="Pass"`, "1x30")}, 15 * time.Minute, false},
	},
	"HoldfastVerdictStale": {
		{"it ran out", []string{of("verdict_valid_until_timestamp_seconds", "", since(time.Minute)), of("suspended", "", "0x30")}, 10 * time.Minute, true},
		{"suspended on purpose", []string{of("verdict_valid_until_timestamp_seconds", "", since(time.Minute)), of("suspended", "", "1x30")}, 10 * time.Minute, false},
		{"it holds", []string{of("verdict_valid_until_timestamp_seconds", "", since(-time.Hour))}, 10 * time.Minute, false},
	},
	"HoldfastSuspended": {
		{"for a day", []string{of("suspended", "", "1x1500")}, 24 * time.Hour, true},
		{"for an hour", []string{of("suspended", "", "0x1380 1x100")}, 24 * time.Hour, false},
	},
	"HoldfastControllerDown": {
		{"it answers no more", []string{up("drift-controller", "1x10 0x30")}, 20 * time.Minute, true},
		{"its pod is gone", []string{up("drift-controller", "1x10"), up("secrets-controller", "1x60")}, 30 * time.Minute, true},
		{"one of two replicas answers", []string{
			strings.Replace(up("drift-controller", "1x30"), "{", `{pod="a",`, 1), strings.Replace(up("drift-controller", "0x30"), "{", `{pod="b",`, 1),
		}, 20 * time.Minute, false},
		{"it was never part of this install", []string{up("drift-controller", "1x30")}, 20 * time.Minute, false},
		{"Flux's own, elsewhere", []string{`up{namespace="flux-system",job="source-controller"} 0x30`}, 20 * time.Minute, false},
	},
	"HoldfastNotScraped": {
		{"no target", nil, 15 * time.Minute, true},
		{"a target that is down is another alert's", []string{up("drift-controller", "0x30")}, 15 * time.Minute, false},
	},
}

// TestAlerts evaluates every rule: what makes it fire, and what must not.
func TestAlerts(t *testing.T) {
	rules := alerts(t)
	for name := range cases {
		if _, there := rules[name]; !there {
			t.Errorf("there is no alert %s", name)
		}
	}
	for name, r := range rules {
		fired, silent := false, false
		for _, c := range cases[name] {
			got := load(t, c.series).firing(t, r, c.at)
			if (len(got) > 0) != c.fires {
				t.Errorf("%s, %s: fires is %v (%v), want %v", name, c.why, len(got) > 0, got, c.fires)
			}
			fired, silent = fired || c.fires, silent || !c.fires
		}
		if !fired || !silent {
			t.Errorf("%s needs a case that fires and one that does not", name)
		}
	}
}

// TestAnnotations: whoever is woken reads what happened and where the runbook is.
func TestAnnotations(t *testing.T) {
	for name, r := range alerts(t) {
		if !slices.Contains([]string{"info", "warning", "critical"}, r.Labels["severity"]) {
			t.Errorf("%s: severity is %q", name, r.Labels["severity"])
		}
		for _, key := range []string{"summary", "description"} {
			if r.Annotations[key] == "" {
				t.Errorf("%s has no %s", name, key)
			}
		}
		if _, anchor, found := strings.Cut(r.Annotations["runbook_url"], "docs/runbooks.md#"); !found || anchor == "" || strings.ToLower(anchor) != anchor {
			t.Errorf("%s: runbook_url %q names no section of docs/runbooks.md", name, r.Annotations["runbook_url"])
		}
	}
}
