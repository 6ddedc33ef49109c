// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

var (
	now  = time.Unix(1_800_000_000, 0)
	shop = types.NamespacedName{Namespace: "shop", Name: "users"}
)

// gathered is each series that is not 0, without the labels of the application.
func gathered(t *testing.T, registry *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := strings.TrimPrefix(f.GetName(), "holdfast_")
			for _, l := range m.GetLabel() {
				if !slices.Contains(perApp, l.GetName()) {
					name += " " + l.GetValue()
				}
			}
			if v := m.GetGauge().GetValue() + m.GetCounter().GetValue(); v != 0 {
				values[name] = v
			}
		}
	}
	return values
}

func at(d time.Duration) *metav1.Time { return new(metav1.NewTime(now.Add(d))) }

func TestSet(t *testing.T) {
	for name, c := range map[string]struct {
		why    string
		status api.ApplicationStatus
		want   map[string]float64
	}{
		"never compared": {"what was not judged is Unknown and has no counts", api.ApplicationStatus{},
			map[string]float64{"condition Unknown Ready": 1, "condition Unknown Synced": 1, "condition Unknown Healthy": 1}},
		"drifted, with an emergency": {"each thing that waits for a person has its series", api.ApplicationStatus{
			Stage:    api.StageStatus{Effective: api.StageSelfHeal, Since: at(-time.Minute)},
			Compared: &api.Compared{ValidUntil: *at(time.Hour)},
			Summary: &api.Summary{
				Drifted: 2, InSync: 1, Backlog: 3, OldestDrift: at(-time.Hour),
				ByClass: map[api.Class]int32{api.ClassManual: 4},
			},
			Plans: &api.Plans{
				Heal:  &api.PlanStatus{State: api.PlanAwaitingApproval, Actions: 3},
				Prune: &api.PlanStatus{State: api.PlanApproved, Actions: 5},
			},
			Hold: &api.Hold{Since: *at(-2 * time.Hour)},
			Conditions: []metav1.Condition{
				{Type: contract.ReadyCondition, Status: metav1.ConditionTrue},
				{Type: contract.SyncedCondition, Status: metav1.ConditionFalse},
			},
		}, map[string]float64{
			"condition True Ready": 1, "condition False Synced": 1, "condition Unknown Healthy": 1,
			"stage SelfHeal": 1, "stage_since_timestamp_seconds": 1_799_999_940,
			"verdict_valid_until_timestamp_seconds": 1_800_003_600,
			"objects Drifted":                       2, "objects InSync": 1, "drift_entries Manual": 4, "drift_oldest_seconds": 3600,
			"heal_backlog": 3, "plan_actions_awaiting_approval heal": 3,
			"break_glass Open": 1, "break_glass_since_timestamp_seconds": 1_799_992_800,
		}},
		"held and suspended": {"an ended emergency is held, and a plan that waits is never 0", api.ApplicationStatus{
			Plans:      &api.Plans{Prune: &api.PlanStatus{State: api.PlanAwaitingApproval}},
			Hold:       &api.Hold{Since: *at(0), Ended: true},
			Conditions: []metav1.Condition{{Type: contract.ReadyCondition, Status: metav1.ConditionUnknown, Reason: contract.SuspendedReason}},
		}, map[string]float64{
			"condition Unknown Ready": 1, "condition Unknown Synced": 1, "condition Unknown Healthy": 1, "suspended": 1,
			"plan_actions_awaiting_approval prune": 1, "break_glass Held": 1, "break_glass_since_timestamp_seconds": 1_800_000_000,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			registry := prometheus.NewRegistry()
			d := New(registry)
			d.Set(shop, c.status, now)
			if diff := cmp.Diff(c.want, gathered(t, registry)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
			d.Set(shop, api.ApplicationStatus{Stage: api.StageStatus{Effective: api.StageObserve}, Compared: &api.Compared{}, Summary: &api.Summary{}}, now)
			for series := range gathered(t, registry) {
				for _, gone := range []string{"entries", "oldest", "backlog", "awaiting", "glass", "SelfHeal", "suspended", "False"} {
					if strings.Contains(series, gone) {
						t.Errorf("%s is left of a state that is over", series)
					}
				}
			}
		})
	}
}

func TestSource(t *testing.T) {
	registry := prometheus.NewRegistry()
	d := New(registry)
	for _, step := range []struct {
		why   string
		ready bool
		says  time.Duration
		want  float64
	}{
		{"ready: nothing is stale", true, -time.Hour, 0},
		{"it dates its failure", false, -time.Minute, 1_799_999_940},
		{"the next attempt dates it anew, and it is the same outage", false, 0, 1_799_999_940},
		{"ready again", true, 0, 0},
		{"another outage", false, time.Minute, 1_800_000_060},
	} {
		d.Source(shop, step.ready, now.Add(step.says), now)
		got := gathered(t, registry)
		want := map[string]float64{"source_stale_since_timestamp_seconds": step.want, "source_ready": is(step.ready)}
		for series, v := range want {
			if got[series] != v {
				t.Errorf("%s: %s is %v, want %v", step.why, series, got[series], v)
			}
		}
	}
	d.Forget(shop)
	d.Source(shop, false, time.Time{}, now)
	if got := gathered(t, registry)["source_stale_since_timestamp_seconds"]; got != 1_800_000_000 {
		t.Errorf("a source that says nothing is stale since it was looked at; got %v", got)
	}
}

func TestForget(t *testing.T) {
	registry := prometheus.NewRegistry()
	d := New(registry)
	d.Set(shop, api.ApplicationStatus{
		Stage: api.StageStatus{Effective: api.StagePrune, Since: at(0)}, Compared: &api.Compared{ValidUntil: *at(0)},
		Summary: &api.Summary{OldestDrift: at(0)}, Hold: &api.Hold{},
	}, now)
	d.Fought(shop, 2, now)
	d.Source(shop, false, now, now)
	d.Compared(shop, time.Second)
	d.Wrote(shop, "Apply", "Done")
	d.Moved(shop, api.StageObserve, api.StagePrune)
	got := gathered(t, registry)
	for series, want := range map[string]float64{"contested_places": 2, "break_glass_until_timestamp_seconds": 1_800_000_000, "stage_changes_total up Prune": 1} {
		if got[series] != want {
			t.Errorf("%s is %v, want %v", series, got[series], want)
		}
	}
	d.Forget(shop)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		t.Errorf("%s is left of an application that is gone: %s", f.GetName(), fmt.Sprint(f.GetMetric()))
	}
}
