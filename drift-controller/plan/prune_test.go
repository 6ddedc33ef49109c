// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

func gone(kind string) plan.Removed {
	return plan.Removed{
		ID: id(kind, "old"), Version: "v1", UID: "u", Origin: api.OriginApplied, Seen: noon, Since: noon.Add(-time.Hour),
	}
}

func with(r plan.Removed, change func(*plan.Removed)) plan.Removed {
	change(&r)
	return r
}

// TestDeletionNeedsProof: each guard alone stops the deletion.
func TestDeletionNeedsProof(t *testing.T) {
	cases := map[string]struct {
		reason  string
		removed plan.Removed
		policy  func(*plan.Policy)
		says    string // in the refusal; empty: it is deleted
	}{
		"proven":             {"every condition holds", gone("ConfigMap"), nil, ""},
		"lower stage":        {"a stage is a permission", gone("ConfigMap"), func(p *plan.Policy) { p.Stage = api.StageSelfHeal }, "delete needs Prune"},
		"held":               {"an emergency", gone("ConfigMap"), func(p *plan.Policy) { p.Holds.All = "BreakGlass" }, "BreakGlass"},
		"nothing may":        {"an empty render", gone("ConfigMap"), func(p *plan.Policy) { p.Prune.Refused = "the render is empty" }, "empty"},
		"not proven":         {"absence caused by an error", with(gone("ConfigMap"), func(r *plan.Removed) { r.Unproven = "forbidden" }), nil, "forbidden"},
		"no UID":             {"it may be somebody else's", with(gone("ConfigMap"), func(r *plan.Removed) { r.UID = "" }), nil, "UID"},
		"adopted":            {"it was there before", with(gone("ConfigMap"), func(r *plan.Removed) { r.Origin = api.OriginAdopted }), nil, "approve the prune plan"},
		"the path changed":   {"the manifest did not", with(gone("ConfigMap"), func(r *plan.Removed) { r.Beside = "spec.path" }), nil, "spec.path changed"},
		"handed over":        {"it keeps its UID", with(gone("ConfigMap"), func(r *plan.Removed) { r.Keeps = "handed over to shop/b" }), nil, "handed over"},
		"a claim":            {"its data is in no repository", gone("PersistentVolumeClaim"), nil, "protected"},
		"a namespace":        {"everything in it would go", gone("Namespace"), nil, "protected"},
		"protected by name":  {"the owner said so", gone("ConfigMap"), func(p *plan.Policy) { p.Prune.Protect = []api.KindSelector{{Kind: "ConfigMap", Name: "o*"}} }, "protected"},
		"just found":         {"a tombstone stands first", with(gone("ConfigMap"), func(r *plan.Removed) { r.Since = noon.Add(-time.Minute) }), nil, "quarantine until 2026-05-04T12:09:00Z"},
		"never shown":        {"no tombstone at all", with(gone("ConfigMap"), func(r *plan.Removed) { r.Since = time.Time{} }), nil, "quarantine"},
		"clock jumped back":  {"a tombstone of tomorrow", with(gone("ConfigMap"), func(r *plan.Removed) { r.Since = noon.Add(24 * time.Hour) }), nil, "quarantine"},
		"no budget":          {"none a day", gone("ConfigMap"), func(p *plan.Policy) { p.Prune.Max = intstr.FromInt32(0) }, "budget"},
		"spent":              {"enough today", gone("ConfigMap"), func(p *plan.Policy) { p.Prune.Spent = 1 }, "budget"},
		"a budget of a joke": {"what cannot be read allows nothing", gone("ConfigMap"), func(p *plan.Policy) { p.Prune.Max = intstr.FromString("many") }, "budget"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			policy := plan.Policy{Stage: api.StagePrune, Prune: plan.PrunePolicy{
				Max: intstr.FromString("10%"), Total: 3, Quarantine: 10 * time.Minute, Now: noon,
			}}
			if tc.policy != nil {
				tc.policy(&policy)
			}
			p := plan.Make(plan.Input{Removed: []plan.Removed{tc.removed}, Policy: policy})
			a := p.Actions[0]
			if (a.Refusal == "") != (tc.says == "") || !strings.Contains(a.Refusal, tc.says) {
				t.Errorf("%s: want a refusal with %q, got %q", tc.reason, tc.says, a.Refusal)
			}
			if steps := p.Steps(); (len(steps) == 1) != (tc.says == "") {
				t.Errorf("%s: %d steps", tc.reason, len(steps))
			} else if len(steps) == 1 && (steps[0].UID != "u" || steps[0].Verb != plan.Delete) {
				t.Errorf("it has to carry the UID: %+v", steps[0])
			}
		})
	}
}

func TestBudget(t *testing.T) {
	cases := map[string]struct {
		reason       string
		max          intstr.IntOrString
		total, want  int
		spent, grant int
	}{
		"a count":            {"as it says", intstr.FromInt32(2), 100, 2, 0, 2},
		"a share":            {"rounded down", intstr.FromString("10%"), 59, 5, 0, 5},
		"at least one":       {"or a small application could never lose one", intstr.FromString("10%"), 3, 1, 0, 1},
		"none":               {"none is none", intstr.FromString("0%"), 100, 0, 0, 0},
		"of nothing":         {"an empty inventory has nothing to lose", intstr.FromString("10%"), 0, 0, 0, 0},
		"some of it is gone": {"over the day", intstr.FromInt32(5), 100, 5, 3, 2},
		"overdrawn":          {"a budget that was lowered", intstr.FromInt32(1), 100, 1, 3, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			policy := plan.PrunePolicy{Max: tc.max, Total: tc.total, Spent: tc.spent, Now: noon}
			if got := policy.Budget(); got != tc.want {
				t.Errorf("%s: want %d, got %d", tc.reason, tc.want, got)
			}
			in := plan.Input{Policy: plan.Policy{Stage: api.StagePrune, Prune: policy}}
			for i := range 10 {
				r := gone("ConfigMap")
				r.ID = manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: fmt.Sprint(i)}
				in.Removed = append(in.Removed, r)
			}
			if got := len(plan.Make(in).Steps()); got != tc.grant {
				t.Errorf("%s: %d deletions, want %d", tc.reason, got, tc.grant)
			}
		})
	}
}

// TestApprovalIsNoBudget: who approves a plan allows what it asks about, and
// nothing else that stands against it.
func TestApprovalIsNoBudget(t *testing.T) {
	adopted := with(gone("ConfigMap"), func(r *plan.Removed) { r.Origin = api.OriginAdopted })
	policy := plan.Policy{Stage: api.StagePrune, Prune: plan.PrunePolicy{Max: intstr.FromInt32(1), Total: 5, Now: noon}}
	asks := plan.Make(plan.Input{Removed: []plan.Removed{adopted}, Policy: policy})
	policy.Approvals = map[string]bool{asks.Prune.Digest: true}
	if p := plan.Make(plan.Input{Removed: []plan.Removed{adopted}, Policy: policy}); len(p.Steps()) != 1 {
		t.Errorf("approved, it goes:\n%s", p)
	}
	policy.Prune.Spent = 1
	if p := plan.Make(plan.Input{Removed: []plan.Removed{adopted}, Policy: policy}); len(p.Steps()) != 0 {
		t.Errorf("but not beyond the budget:\n%s", p)
	}
	policy.Prune.Spent, adopted.UID = 0, "recreated"
	if p := plan.Make(plan.Input{Removed: []plan.Removed{adopted}, Policy: policy}); len(p.Steps()) != 0 {
		t.Errorf("nor for another object of that name:\n%s", p)
	}
}
