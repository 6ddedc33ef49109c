// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package emergency_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/emergency"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

var (
	noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	web  = manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	env  = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "env"}
)

func glass(change func(*api.BreakGlass)) api.BreakGlass {
	g := api.BreakGlass{
		ObjectMeta: metav1.ObjectMeta{Name: "night", Namespace: "shop", CreationTimestamp: metav1.NewTime(noon)},
		Spec:       api.BreakGlassSpec{Application: "web", Reason: "pool is full", RequestedBy: "anna", Until: metav1.NewTime(noon.Add(time.Hour))},
	}
	change(&g)
	return g
}

func as(*api.BreakGlass) {}

// TestWhatIsHeld: where and until when nothing is written.
func TestWhatIsHeld(t *testing.T) {
	edit := emergency.Edit{ID: web, Pointer: "/spec/replicas", FirstSeen: noon.Add(10 * time.Minute)}
	old := emergency.Edit{ID: web, Pointer: "/spec/paused", FirstSeen: noon.Add(-time.Hour)}
	left := &api.Hold{Since: metav1.NewTime(noon), BreakGlass: "night"}
	cases := map[string]struct {
		reason   string
		glasses  []api.BreakGlass
		policy   *api.BreakGlassPolicy
		hold     *api.Hold
		edits    []emergency.Edit
		after    time.Duration
		web, env bool // held
		keeps    bool // the hold goes on
	}{
		"none":             {"nothing was opened", nil, nil, nil, []emergency.Edit{edit}, 0, false, false, false},
		"open":             {"the whole application", []api.BreakGlass{glass(as)}, nil, nil, nil, time.Minute, true, true, true},
		"one object":       {"the rest goes on", []api.BreakGlass{glass(func(g *api.BreakGlass) { g.Spec.Objects = []api.KindSelector{{Group: "apps", Kind: "Deployment"}} })}, nil, nil, nil, time.Minute, true, false, true},
		"another's":        {"it is about another application", []api.BreakGlass{glass(func(g *api.BreakGlass) { g.Spec.Application = "db" })}, nil, nil, nil, time.Minute, false, false, false},
		"over, committed":  {"nothing is left that Git does not have", []api.BreakGlass{glass(as)}, nil, left, nil, 2 * time.Hour, false, false, false},
		"over, old drift":  {"it was there before, and holds nothing", []api.BreakGlass{glass(as)}, nil, left, []emergency.Edit{old}, 2 * time.Hour, false, false, false},
		"over, not in Git": {"a forgotten emergency is not reverted", []api.BreakGlass{glass(as)}, nil, left, []emergency.Edit{edit}, 2 * time.Hour, true, true, true},
		"over, to revert":  {"the Project said so", []api.BreakGlass{glass(as)}, &api.BreakGlassPolicy{OnExpiry: api.OnExpiryRevert}, left, []emergency.Edit{edit}, 2 * time.Hour, false, false, false},
		"deleted":          {"deletion is an end and no escape", nil, nil, left, []emergency.Edit{edit}, time.Minute, true, true, true},
		"being deleted":    {"the same", []api.BreakGlass{glass(func(g *api.BreakGlass) { g.DeletionTimestamp = &g.CreationTimestamp })}, nil, left, []emergency.Edit{edit}, time.Minute, true, true, true},
		"capped":           {"the Project bounds it", []api.BreakGlass{glass(func(g *api.BreakGlass) { g.Spec.Until = metav1.NewTime(noon.Add(100 * time.Hour)) })}, nil, nil, nil, 5 * time.Hour, false, false, false},
		"clock jumped":     {"a clock that jumped back finds it open", []api.BreakGlass{glass(as)}, nil, left, nil, -48 * time.Hour, true, true, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := emergency.Decide(emergency.Input{
				Application: "web", Glasses: tc.glasses, Policy: tc.policy, Hold: tc.hold, Edits: tc.edits, Now: noon.Add(tc.after),
			})
			if got := out.Refuses(web) != ""; got != tc.web {
				t.Errorf("%s: the Deployment is held: %q", tc.reason, out.Refuses(web))
			}
			if got := out.Refuses(env) != ""; got != tc.env {
				t.Errorf("%s: the ConfigMap is held: %q", tc.reason, out.Refuses(env))
			}
			if (out.Hold != nil) != tc.keeps {
				t.Errorf("%s: hold %+v", tc.reason, out.Hold)
			}
		})
	}
}

// TestUnknownHidesEdits: an object that cannot be read ends no hold.
func TestUnknownHidesEdits(t *testing.T) {
	in := emergency.Input{Application: "web", Hold: &api.Hold{Since: metav1.NewTime(noon), BreakGlass: "night"}, Unknown: []manifest.ID{web}, Now: noon.Add(2 * time.Hour)}
	if out := emergency.Decide(in); out.Hold == nil || out.Refuses(web) == "" {
		t.Errorf("nobody knows whether the edit is in Git: %+v", out)
	}
}

// TestLists: what is in Git now, what is not, what was there before.
func TestLists(t *testing.T) {
	g := glass(func(g *api.BreakGlass) {
		g.Status.NotInGit = []string{"ConfigMap shop/env /data/A", "Deployment.apps shop/web /spec/replicas"}
	})
	out := emergency.Decide(emergency.Input{
		Application: "web", Glasses: []api.BreakGlass{g}, Now: noon.Add(time.Minute),
		Edits: []emergency.Edit{
			{ID: web, Pointer: "/spec/replicas", FirstSeen: noon.Add(time.Second)},
			{ID: web, Pointer: "/spec/paused", FirstSeen: noon.Add(-time.Second)},
		},
	})
	want := api.BreakGlassStatus{
		Phase: "Open", Counts: api.BreakGlassCounts{InGit: 1, NotInGit: 1, Older: 1},
		InGit:    []string{"ConfigMap shop/env /data/A"},
		NotInGit: []string{"Deployment.apps shop/web /spec/replicas"},
		Older:    []string{"Deployment.apps shop/web /spec/paused"},
	}
	if diff := cmp.Diff(want, out.Statuses["night"]); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

// TestScopesGrow: a second emergency never narrows what the first one held.
func TestScopesGrow(t *testing.T) {
	one := glass(func(g *api.BreakGlass) { g.Spec.Objects = []api.KindSelector{{Kind: "ConfigMap"}} })
	two := glass(func(g *api.BreakGlass) {
		g.Name, g.CreationTimestamp = "later", metav1.NewTime(noon.Add(time.Minute))
		g.Spec.Objects = []api.KindSelector{{Group: "apps", Kind: "Deployment"}}
	})
	out := emergency.Decide(emergency.Input{Application: "web", Glasses: []api.BreakGlass{one, two}, Now: noon.Add(2 * time.Minute)})
	if len(out.Hold.Objects) != 2 || !out.Hold.Since.Time.Equal(noon) {
		t.Errorf("both, from the first on: %+v", out.Hold)
	}
}
