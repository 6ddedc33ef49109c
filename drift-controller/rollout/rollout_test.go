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
	return api.StageRollout{ObjectMeta: metav1.ObjectMeta{Name: "backend"}, Spec: spec, Status: api.StageRolloutStatus{Wave: "canary"}}
}

func app(change func(*rollout.Application)) rollout.Application {
	a := rollout.Application{
		Labels: map[string]string{"tier": "canary"}, Reach: api.StagePrune, Granted: api.StageSync,
		Since: noon.Add(-100 * time.Hour), Findings: rollout.Findings{Healthy: true, SecretsValid: true},
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
		"soaking":           {"it has to last", asIs, func(a *rollout.Application) { a.Since = noon.Add(-41 * time.Hour) }, api.StageSync, "soak 41h of 72h"},
		"clock jumped back": {"a soak of the future is none", asIs, func(a *rollout.Application) { a.Since = noon.Add(48 * time.Hour) }, api.StageSync, "soak 0s"},
		"drift":             {"nobody has looked at it", asIs, func(a *rollout.Application) { a.Untriaged = 1 }, api.StageSync, "1 untriaged"},
		"some drift":        {"as allowed", func(s *api.StageRolloutSpec) { s.Gates.MaxUntriagedDrift = &two }, func(a *rollout.Application) { a.Untriaged = 2 }, api.StageSelfHeal, ""},
		"health unknown":    {"unknown is never green", asIs, func(a *rollout.Application) { a.Healthy = false }, api.StageSync, "healthy"},
		"secrets unknown":   {"nor is this", asIs, func(a *rollout.Application) { a.SecretsValid = false }, api.StageSync, "secrets"},
		"strays":            {"too many", func(s *api.StageRolloutSpec) { s.Gates.MaxStrays = &two }, func(a *rollout.Application) { a.Strays = 3 }, api.StageSync, "3 strays"},
		"not judged":        {"a dead controller raises nothing", asIs, func(a *rollout.Application) { a.Unjudged = "the last verdict is not of now" }, api.StageSync, "not of now"},
		"no heal plan":      {"somebody has to read it", planned, as, api.StageSync, "heal plan"},
		"no prune plan":     {"and this one", planned, func(a *rollout.Application) { a.Granted = api.StageSelfHeal }, api.StageSelfHeal, "prune plan"},
		"approved":          {"then it goes", planned, func(a *rollout.Application) { a.HealPlanApproved = true }, api.StageSelfHeal, ""},
		"suspended":         {"nothing rises", func(s *api.StageRolloutSpec) { s.Suspend = true }, as, api.StageSync, "suspended"},
		"at its ceiling":    {"the owner said so", asIs, func(a *rollout.Application) { a.Reach = api.StageSync }, api.StageSync, ""},
		"below its grant":   {"a ceiling that was lowered takes the soak with it", asIs, func(a *rollout.Application) { a.Granted, a.Reach = api.StagePrune, api.StageSync }, api.StageSync, ""},
		"at the target":     {"it has arrived", func(s *api.StageRolloutSpec) { s.Target = api.StageSync }, as, api.StageSync, ""},
		"contested":         {"a fight at Sync is held there", asIs, func(a *rollout.Application) { a.Contested = true }, api.StageSync, "somebody else"},
		"falls, unhealthy":  {"healing may be what hurts", asIs, func(a *rollout.Application) { a.Granted, a.Healthy, a.Unhealthy = api.StageSelfHeal, false, true }, api.StageSync, "lowered"},
		"falls, contested":  {"one step", asIs, func(a *rollout.Application) { a.Granted, a.Contested = api.StagePrune, true }, api.StageSelfHeal, "lowered"},
		"falls no further":  {"or the fixing commit could not arrive", asIs, func(a *rollout.Application) { a.Healthy, a.Unhealthy = false, true }, api.StageSync, "healthy"},
		"falls, suspended":  {"a brake works in any case", func(s *api.StageRolloutSpec) { s.Suspend = true }, func(a *rollout.Application) { a.Granted, a.Unhealthy = api.StageSelfHeal, true }, api.StageSync, "lowered"},
		"target lowered":    {"a declaration is obeyed", func(s *api.StageRolloutSpec) { s.Target = api.StageObserve }, as, api.StageObserve, "target"},
		"another's turn":    {"the canary comes first", asIs, func(a *rollout.Application) { a.Labels = nil }, api.StageSync, "waits for wave canary"},
		"nobody's":          {"a wave has to select it", func(s *api.StageRolloutSpec) { s.Waves = s.Waves[:1] }, func(a *rollout.Application) { a.Labels = nil }, api.StageSync, "no wave"},
		"a word":            {"what is no stage grants nothing", asIs, func(a *rollout.Application) { a.Granted = "Everything" }, api.StageSync, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, err := rollout.Decide(backend(tc.rollout), app(tc.app), noon)
			if err != nil {
				t.Fatal(err)
			}
			if g.Stage != tc.want || (g.HeldBy == "") != (tc.held == "") || !strings.Contains(g.HeldBy, tc.held) {
				t.Errorf("%s: want %s held by %q, got %s held by %q", tc.reason, tc.want, tc.held, g.Stage, g.HeldBy)
			}
		})
	}
}

// world is what the controller does, round by round: each Application decides
// for itself, and the rollout counts.
type world struct {
	rollout api.StageRollout
	names   []string
	apps    []rollout.Application
}

func (w *world) round(t *testing.T, now time.Time) string {
	t.Helper()
	var members []rollout.Member
	var stages []string
	for i := range w.apps {
		a := &w.apps[i]
		g, err := rollout.Decide(w.rollout, *a, now)
		if err != nil {
			t.Fatal(err)
		}
		a.Granted, a.Since = g.Stage, g.Since
		members = append(members, rollout.Member{Name: w.names[i], Labels: a.Labels, Granted: g.Stage, Reach: a.Reach})
		stages = append(stages, string(g.Stage))
	}
	p, err := rollout.Look(w.rollout, members)
	if err != nil {
		t.Fatal(err)
	}
	w.rollout.Status.Wave, w.rollout.Status.WaitsFor = p.Wave, p.WaitsFor
	return fmt.Sprintf("%s; %d of %d; %s", strings.Join(stages, " "), p.AtTarget, p.Applications, p.Wave)
}

// TestWaves: a later wave starts when every Application of the earlier ones has
// arrived, and each rise starts a soak of its own.
func TestWaves(t *testing.T) {
	w := &world{rollout: backend(func(s *api.StageRolloutSpec) { s.Target = api.StageSelfHeal }), names: []string{"shop/web", "shop/db", "shop/low"}}
	w.apps = []rollout.Application{
		app(as), app(func(a *rollout.Application) { a.Labels = nil }), app(func(a *rollout.Application) { a.Reach = api.StageSync }),
	}
	now, rounds := noon, []string{}
	for range 3 {
		rounds = append(rounds, w.round(t, now))
		now = now.Add(24 * time.Hour)
	}
	want := []string{"SelfHeal Sync Sync; 1 of 3; rest", "SelfHeal SelfHeal Sync; 2 of 3; ", "SelfHeal SelfHeal Sync; 2 of 3; "}
	if fmt.Sprint(rounds) != fmt.Sprint(want) {
		t.Errorf("the canary goes first, and who can reach no more holds nobody:\nwant %q\ngot  %q", want, rounds)
	}
	w.apps[0].Contested = true
	if got := w.round(t, now); got != "Sync SelfHeal Sync; 1 of 3; canary" {
		t.Errorf("a fall of one is none of another's: %s", got)
	}
	w.apps = append(w.apps, app(func(a *rollout.Application) { a.Labels = nil }))
	w.names = append(w.names, "shop/new")
	if got := w.round(t, now); !strings.HasPrefix(got, "Sync SelfHeal Sync Sync;") {
		t.Errorf("who comes later waits for the wave that fell: %s", got)
	}
}

// TestNotCounted: while the waves of a new generation were not counted, nobody
// knows whose turn it is.
func TestNotCounted(t *testing.T) {
	r := backend(asIs)
	r.Generation, r.Status.ObservedGeneration = 2, 1
	if g, err := rollout.Decide(r, app(as), noon); err != nil || g.Stage != api.StageSync || g.HeldBy == "" {
		t.Errorf("it waits: %v %v", g, err)
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
		g, err := rollout.Decide(r, a, now) // anew each time: nothing is kept
		if err != nil {
			t.Fatal(err)
		}
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
	if g, err := rollout.Decide(r, app(as), noon); err == nil || g.Stage != api.StageSync {
		t.Errorf("a selector that cannot be read raises nothing and says so: %v", g)
	}
	if _, err := rollout.Look(r, nil); err == nil {
		t.Error("nor is anything counted")
	}
}
