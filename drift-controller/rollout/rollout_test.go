// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/rollout"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func backend(change func(*api.StageRolloutSpec)) api.StageRollout {
	spec := api.StageRolloutSpec{
		Target: api.StagePrune,
		Waves: []api.Wave{
			{Name: "canary", Selector: metav1.LabelSelector{MatchLabels: map[string]string{"tier": "canary"}}},
			{Name: "rest", Selector: metav1.LabelSelector{}},
		},
		Gates: api.Gates{Soak: &metav1.Duration{Duration: 72 * time.Hour}},
	}
	change(&spec)
	return api.StageRollout{ObjectMeta: metav1.ObjectMeta{Name: "backend"}, Spec: spec}
}

func app(change func(*rollout.Application)) rollout.Application {
	a := rollout.Application{
		Name: "shop/web", Labels: map[string]string{"tier": "canary"}, Ceiling: api.StagePrune, Granted: api.StageSync,
		Since: noon.Add(-100 * time.Hour), Findings: rollout.Findings{Judged: true, Healthy: true, SecretsValid: true},
	}
	change(&a)
	return a
}

func as(*rollout.Application)         {}
func asIs(*api.StageRolloutSpec)      {}
func planned(s *api.StageRolloutSpec) { s.Gates.PlanApproved = true }

// TestGates: each alone holds a grant, and none raises more than one stage.
func TestGates(t *testing.T) {
	two := int32(2)
	cases := map[string]struct {
		reason  string
		rollout func(*api.StageRolloutSpec)
		app     func(*rollout.Application)
		want    api.Stage
		held    string
	}{
		"all hold":          {"one stage, not two", asIs, as, api.StageSelfHeal, ""},
		"from nothing":      {"the first look starts the soak", asIs, func(a *rollout.Application) { a.Granted, a.Since = "", time.Time{} }, api.StageObserve, "soak 0s of 72h"},
		"soaking":           {"it has to last", asIs, func(a *rollout.Application) { a.Since = noon.Add(-41 * time.Hour) }, api.StageSync, "soak 41h0m0s of 72h"},
		"clock jumped back": {"a soak of the future is none", asIs, func(a *rollout.Application) { a.Since = noon.Add(48 * time.Hour) }, api.StageSync, "soak 0s"},
		"drift":             {"nobody has looked at it", asIs, func(a *rollout.Application) { a.Untriaged = 1 }, api.StageSync, "1 entries"},
		"some drift":        {"as allowed", func(s *api.StageRolloutSpec) { s.Gates.MaxUntriagedDrift = &two }, func(a *rollout.Application) { a.Untriaged = 2 }, api.StageSelfHeal, ""},
		"health unknown":    {"unknown is never green", asIs, func(a *rollout.Application) { a.Healthy = false }, api.StageSync, "healthy"},
		"secrets unknown":   {"nor is this", asIs, func(a *rollout.Application) { a.SecretsValid = false }, api.StageSync, "secrets"},
		"strays":            {"too many", func(s *api.StageRolloutSpec) { s.Gates.MaxStrays = &two }, func(a *rollout.Application) { a.Strays = 3 }, api.StageSync, "3 strays"},
		"not judged":        {"a dead controller raises nothing", asIs, func(a *rollout.Application) { a.Judged = false }, api.StageSync, "not judged"},
		"no heal plan":      {"somebody has to read it", planned, as, api.StageSync, "heal plan"},
		"no prune plan":     {"and this one", planned, func(a *rollout.Application) { a.Granted = api.StageSelfHeal }, api.StageSelfHeal, "prune plan"},
		"approved":          {"then it goes", planned, func(a *rollout.Application) { a.HealPlanApproved = true }, api.StageSelfHeal, ""},
		"suspended":         {"nothing rises", func(s *api.StageRolloutSpec) { s.Suspend = true }, as, api.StageSync, "suspended"},
		"at its ceiling":    {"the owner said so", asIs, func(a *rollout.Application) { a.Ceiling = api.StageSync }, api.StageSync, ""},
		"at the target":     {"it has arrived", func(s *api.StageRolloutSpec) { s.Target = api.StageSync }, as, api.StageSync, ""},
		"contested":         {"a fight at Sync is held there", asIs, func(a *rollout.Application) { a.Contested = true }, api.StageSync, "somebody else"},
		"falls, unhealthy":  {"healing may be what hurts", asIs, func(a *rollout.Application) { a.Granted, a.Healthy, a.Unhealthy = api.StageSelfHeal, false, true }, api.StageSync, "lowered"},
		"falls, contested":  {"one step", asIs, func(a *rollout.Application) { a.Granted, a.Contested = api.StagePrune, true }, api.StageSelfHeal, "lowered"},
		"falls no further":  {"or the fixing commit could not arrive", asIs, func(a *rollout.Application) { a.Healthy, a.Unhealthy = false, true }, api.StageSync, "healthy"},
		"falls, suspended":  {"a brake works in any case", func(s *api.StageRolloutSpec) { s.Suspend = true }, func(a *rollout.Application) { a.Granted, a.Unhealthy = api.StageSelfHeal, true }, api.StageSync, "lowered"},
		"target lowered":    {"a declaration is obeyed", func(s *api.StageRolloutSpec) { s.Target = api.StageObserve }, as, api.StageObserve, "target"},
		"a word":            {"what is no stage grants nothing", asIs, func(a *rollout.Application) { a.Granted = "Everything" }, api.StageSync, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			grants, err := rollout.Decide(backend(tc.rollout), []rollout.Application{app(tc.app)}, noon)
			if err != nil {
				t.Fatal(err)
			}
			g := grants["shop/web"]
			if g.Stage != tc.want || (g.HeldBy == "") != (tc.held == "") || !strings.Contains(g.HeldBy, tc.held) {
				t.Errorf("%s: want %s held by %q, got %s held by %q", tc.reason, tc.want, tc.held, g.Stage, g.HeldBy)
			}
		})
	}
}

// TestWaves: a later wave starts when every Application of the earlier ones has
// arrived, and each rise starts a soak of its own.
func TestWaves(t *testing.T) {
	r := backend(func(s *api.StageRolloutSpec) { s.Target = api.StageSelfHeal })
	apps := []rollout.Application{
		app(as), app(func(a *rollout.Application) { a.Name, a.Labels = "shop/db", nil }),
		app(func(a *rollout.Application) { a.Name, a.Ceiling = "shop/low", api.StageSync }),
	}
	now, rounds := noon, []string{}
	for range 8 {
		grants, err := rollout.Decide(r, apps, now)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range apps {
			apps[i].Granted, apps[i].Since = grants[a.Name].Stage, grants[a.Name].Since
		}
		rounds = append(rounds, fmt.Sprintf("%s %s", apps[0].Granted, apps[1].Granted))
		now = now.Add(24 * time.Hour)
	}
	if rounds[0] != "SelfHeal Sync" || rounds[1] != "SelfHeal SelfHeal" {
		t.Errorf("the canary goes first, and who stands at a lower ceiling holds nobody: %v", rounds)
	}
	apps[0].Contested = true
	grants, err := rollout.Decide(r, apps, now)
	if err != nil || grants["shop/web"].Stage != api.StageSync || grants["shop/db"].Stage != api.StageSelfHeal {
		t.Errorf("a fall of one is none of another's: %v %v", grants, err)
	}
}

// TestSoakSurvives: what was granted and since when come from the status, so
// that a restart in the middle changes nothing.
func TestSoakSurvives(t *testing.T) {
	r := backend(asIs)
	a := app(func(a *rollout.Application) { a.Granted, a.Since = "", time.Time{} })
	var rose []time.Duration
	for hour := range 24 * 14 {
		now := noon.Add(time.Duration(hour) * time.Hour)
		grants, err := rollout.Decide(r, []rollout.Application{a}, now) // anew each time: nothing is kept
		if err != nil {
			t.Fatal(err)
		}
		g := grants[a.Name]
		if g.Stage != a.Granted && a.Granted != "" {
			rose = append(rose, now.Sub(noon))
		}
		a.Granted, a.Since = g.Stage, g.Since
	}
	want := []time.Duration{72 * time.Hour, 144 * time.Hour, 216 * time.Hour}
	if fmt.Sprint(rose) != fmt.Sprint(want) {
		t.Errorf("want a step each 72 hours, got %v", rose)
	}
}

func TestBrokenSelector(t *testing.T) {
	r := backend(func(s *api.StageRolloutSpec) {
		s.Waves[0].Selector = metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Like"}}}
	})
	if _, err := rollout.Decide(r, []rollout.Application{app(as)}, noon); err == nil {
		t.Error("a selector that cannot be read grants nothing and says so")
	}
}
