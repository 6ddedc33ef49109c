// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"testing"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

// TestUndoIsAskedFor: nothing is brought back unasked, above its stage, or that
// cannot be; and the digest stands while the plan is carried out.
func TestUndoIsAskedFor(t *testing.T) {
	all := func(manifest.ID) bool { return true }
	pruned := func(undone bool, refused string) []plan.Pruned {
		return []plan.Pruned{{ID: id("ConfigMap", "old"), Version: "v1", UID: "u", At: noon, Undone: undone, Refused: refused}}
	}
	cases := map[string]struct {
		reason string
		pruned []plan.Pruned
		policy plan.Policy
		state  api.PlanState
		steps  int
	}{
		"nothing":       {"nothing was pruned", nil, plan.Policy{Stage: api.StagePrune, Prune: plan.PrunePolicy{AskedBack: all}}, api.PlanEmpty, 0},
		"unasked":       {"nobody asked", pruned(false, ""), plan.Policy{Stage: api.StagePrune}, api.PlanAwaitingApproval, 0},
		"asked":         {"somebody did", pruned(false, ""), plan.Policy{Stage: api.StageSync, Prune: plan.PrunePolicy{AskedBack: all}}, api.PlanRunning, 1},
		"at Observe":    {"a stage is a permission", pruned(false, ""), plan.Policy{Stage: api.StageObserve, Prune: plan.PrunePolicy{AskedBack: all}}, api.PlanAwaitingApproval, 0},
		"in emergency":  {"it holds all writes", pruned(false, ""), plan.Policy{Stage: api.StagePrune, Holds: plan.Holds{All: "BreakGlass"}, Prune: plan.PrunePolicy{AskedBack: all}}, api.PlanAwaitingApproval, 0},
		"a Secret":      {"it is not kept", pruned(false, "never kept"), plan.Policy{Stage: api.StagePrune, Prune: plan.PrunePolicy{AskedBack: all}}, api.PlanRefused, 0},
		"undone before": {"once is enough", pruned(true, ""), plan.Policy{Stage: api.StagePrune, Prune: plan.PrunePolicy{AskedBack: all}}, api.PlanDone, 0},
		"approved plans": {
			"of other kinds", pruned(false, ""),
			plan.Policy{Stage: api.StagePrune, Approvals: map[string]bool{plan.UndoDigest(pruned(false, "")): true}}, api.PlanAwaitingApproval, 0,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := plan.Make(plan.Input{Pruned: tc.pruned, Policy: tc.policy})
			if p.Undo.State != tc.state || len(p.Steps()) != tc.steps {
				t.Errorf("%s: %s and %d steps, want %s and %d\n%s", tc.reason, p.Undo.State, len(p.Steps()), tc.state, tc.steps, p)
			}
			for _, s := range p.Steps() {
				if s.Verb != plan.Restore || s.Version != "v1" || !s.Full || s.UID != "" {
					t.Errorf("it is made anew, as a whole: %+v", s)
				}
			}
		})
	}
	if plan.UndoDigest(pruned(false, "")) != plan.UndoDigest(pruned(true, "")) {
		t.Error("a plan that is carried out needs no second Approval")
	}
}
