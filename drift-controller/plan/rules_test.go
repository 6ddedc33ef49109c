// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

func drifted(name string, judgements ...drift.Judgement) drift.Object {
	return drift.Object{
		ID: id("Deployment", name), UID: "uid-" + name, State: "state-" + name, Known: true,
		Verdict: api.VerdictDrifted, Judgements: judgements, Health: drift.Health{Status: "Current"},
	}
}

func declared(j drift.Judgement) drift.Judgement {
	j.Declared = true
	j.Path = keyedpath.FieldPath(keyedpath.Tokens(j.Pointer)...)
	return j
}

func moved(j drift.Judgement) drift.Judgement {
	j.Moved = true
	return j
}

func key(name, pointer string) plan.Key {
	return plan.Key{ID: id("Deployment", name), Pointer: pointer}
}

// TestWhatStandsAgainst: the one action of an object, and what refuses it.
func TestWhatStandsAgainst(t *testing.T) {
	edit, news := judgement("/spec/x", api.ClassManual, true), judgement("/spec/x", api.ClassPending, false)
	web := id("Deployment", "web")
	cases := map[string]struct {
		reason string
		object drift.Object
		policy plan.Policy
		verb   plan.Verb
		says   string // in the refusal; empty: it is done
	}{
		"sync leaves an edit":     {"sync is not a hidden heal", drifted("web", edit), plan.Policy{Stage: api.StageSync}, plan.Revert, "revert needs SelfHeal"},
		"both changed it":         {"Git wins", drifted("web", moved(edit)), plan.Policy{Stage: api.StageSync}, plan.Apply, ""},
		"both, at Observe":        {"and not before Sync", drifted("web", moved(edit)), plan.Policy{Stage: api.StageObserve}, plan.Apply, "apply needs Sync"},
		"a mark of restarts":      {"an operational mark is not healed", drifted("web", judgement("/spec/x", api.ClassManual, false)), plan.Policy{Stage: api.StagePrune}, plan.Leave, "because of Manual"},
		"Git moved on":            {"sync's business", drifted("web", news), plan.Policy{Stage: api.StageSync}, plan.Apply, ""},
		"Argo CD's mark":          {"two deployers would fight", marked(drifted("web", news), "Argo CD application shop"), plan.Policy{Stage: api.StageSync}, plan.Apply, "takeover"},
		"Flux's mark, healing":    {"whatever is written", marked(drifted("web", edit), "Flux Kustomization shop"), plan.Policy{Stage: api.StageSelfHeal}, plan.Revert, "takeover"},
		"asked to take over":      {"then it is", marked(drifted("web", news), "Argo CD application shop"), plan.Policy{Stage: api.StageSync, Takeover: true}, plan.Apply, ""},
		"Helm's mark":             {"nothing runs Helm again", marked(drifted("web", news), "Helm release shop"), plan.Policy{Stage: api.StageSync}, plan.Apply, ""},
		"not settled":             {"the baseline comes first", drifted("web", news), plan.Policy{Stage: api.StageSync, Unsettled: map[manifest.ID]bool{web: true}}, plan.Apply, "baseline"},
		"not compared in full":    {"an apply carries all of it", undecided(drifted("web", news)), plan.Policy{Stage: api.StageSync}, plan.Apply, "could not be compared"},
		"not compared, healing":   {"a heal carries one path", undecided(drifted("web", edit)), plan.Policy{Stage: api.StageSelfHeal}, plan.Revert, ""},
		"all held":                {"an emergency", drifted("web", edit), plan.Policy{Stage: api.StageSelfHeal, Holds: plan.Holds{All: "BreakGlass"}}, plan.Revert, "BreakGlass"},
		"sync held":               {"a dependency is not ready", drifted("web", news), plan.Policy{Stage: api.StageSync, Holds: plan.Holds{Sync: "waits for db"}}, plan.Apply, "waits for db"},
		"sync held, healing":      {"and healing goes on", drifted("web", edit), plan.Policy{Stage: api.StageSelfHeal, Holds: plan.Holds{Sync: "waits for db"}}, plan.Revert, ""},
		"held alone":              {"one object", drifted("web", edit), plan.Policy{Stage: api.StageSelfHeal, Holds: plan.Holds{Objects: map[manifest.ID]string{web: "backoff"}}}, plan.Revert, "backoff"},
		"another held":            {"the rest goes on", drifted("web", edit), plan.Policy{Stage: api.StageSelfHeal, Holds: plan.Holds{Objects: map[manifest.ID]string{id("Deployment", "db"): "backoff"}}}, plan.Revert, ""},
		"contested":               {"the breaker", drifted("web", edit), plan.Policy{Stage: api.StageSelfHeal, Contested: map[plan.Key]string{key("web", "/spec/x"): "reverted 3 times"}}, plan.Leave, "reverted 3 times"},
		"another place contested": {"the rest goes on", drifted("web", edit), plan.Policy{Stage: api.StageSelfHeal, Contested: map[plan.Key]string{key("web", "/spec/y"): "reverted 3 times"}}, plan.Revert, ""},
		"old":                     {"the incident, caused by us", drifted("web", edit), plan.Policy{Stage: api.StageSelfHeal, Old: map[plan.Key]bool{key("web", "/spec/x"): true}}, plan.Revert, "approve the heal plan sha256:"},
		"old, reverted unasked":   {"the owner said so", drifted("web", edit), plan.Policy{Stage: api.StageSelfHeal, Backlog: api.BacklogRevert, Old: map[plan.Key]bool{key("web", "/spec/x"): true}}, plan.Revert, ""},
		"old, kept":               {"the owner said so", drifted("web", edit), plan.Policy{Stage: api.StageSelfHeal, Backlog: api.BacklogKeep, Old: map[plan.Key]bool{key("web", "/spec/x"): true}}, plan.Revert, "keeps it"},
		"old, and Git moved":      {"a commit is an answer", drifted("web", moved(edit)), plan.Policy{Stage: api.StageSelfHeal, Old: map[plan.Key]bool{key("web", "/spec/x"): true}}, plan.Apply, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := plan.Make(plan.Input{Objects: []drift.Object{tc.object}, Policy: tc.policy}).Actions[0]
			if a.Verb != tc.verb || (a.Refusal == "") != (tc.says == "") || !strings.Contains(a.Refusal, tc.says) {
				t.Errorf("%s: want %s refused %q, got %s refused %q", tc.reason, tc.verb, tc.says, a.Verb, a.Refusal)
			}
		})
	}
}

func marked(o drift.Object, mark string) drift.Object {
	o.Tracked = []string{mark}
	return o
}

func undecided(o drift.Object) drift.Object {
	o.Undecided = true
	return o
}

// TestBacklogIsApprovedAsAWhole: an approval is about exactly one plan; what was
// agreed while the plan was whole goes on as it shrinks.
func TestBacklogIsApprovedAsAWhole(t *testing.T) {
	a, b := drifted("a", judgement("/spec/x", api.ClassManual, true)), drifted("b", judgement("/spec/x", api.ClassManual, true))
	policy := plan.Policy{Stage: api.StageSelfHeal, Old: map[plan.Key]bool{key("a", "/spec/x"): true, key("b", "/spec/x"): true}}
	both := plan.Make(plan.Input{Objects: []drift.Object{a, b}, Policy: policy})
	if both.Heal.State != "AwaitingApproval" || both.Heal.Actions != 2 || len(both.Steps()) != 0 {
		t.Fatalf("two wait, and nothing is written:\n%s", both)
	}
	policy.Approvals = map[string]bool{both.Heal.Digest: true}
	approved := plan.Make(plan.Input{Objects: []drift.Object{b, a}, Policy: policy})
	if approved.Heal.State != "Approved" || len(approved.Steps()) != 2 {
		t.Fatalf("the order of a report is none of the plan's business:\n%s", approved)
	}
	alone := plan.Make(plan.Input{Objects: []drift.Object{b}, Policy: policy})
	if len(alone.Steps()) != 0 {
		t.Errorf("another plan has another digest:\n%s", alone)
	}
	policy.Agreed = map[string]bool{}
	for _, line := range approved.Heal.Lines {
		policy.Agreed[line.Digest()] = true
	}
	if rest := plan.Make(plan.Input{Objects: []drift.Object{b}, Policy: policy}); len(rest.Steps()) != 1 {
		t.Errorf("what was agreed goes on:\n%s", rest)
	}
	b.UID = "another"
	if other := plan.Make(plan.Input{Objects: []drift.Object{b}, Policy: policy}); len(other.Steps()) != 0 {
		t.Errorf("an object that was recreated was not agreed on:\n%s", other)
	}
}

// TestSteps: one write for an object, which carries all of Git and keeps what
// is not its business.
func TestSteps(t *testing.T) {
	object := drifted("web",
		declared(judgement("/spec/image", api.ClassPending, false)),
		declared(judgement("/spec/paused", api.ClassManual, true)),
		declared(judgement("/spec/replicas", api.ClassController, false)),
		judgement("/spec/added", api.ClassManual, true),
		judgement("/spec/dropped", api.ClassRemoved, true),
	)
	step := plan.Make(plan.Input{Objects: []drift.Object{object}, Policy: plan.Policy{Stage: api.StageSelfHeal}}).Steps()[0]
	var kept []string
	for _, p := range step.Keep {
		kept = append(kept, keyedpath.Pointer(p))
	}
	slices.Sort(kept)
	if diff := cmp.Diff([]string{"/spec/paused", "/spec/replicas"}, kept); diff != "" {
		t.Errorf("an edit and an autoscaler's field keep their value (-want +got):\n%s", diff)
	}
	if step.Verb != plan.Apply || !step.Full || len(step.Edits) != 1 || step.UID != "uid-web" || step.State != "state-web" {
		t.Errorf("applying comes first, with the field that Git dropped: %+v", step)
	}
	object.Judgements = object.Judgements[1:4]
	step = plan.Make(plan.Input{Objects: []drift.Object{object}, Policy: plan.Policy{Stage: api.StageSelfHeal}}).Steps()[0]
	if step.Verb != plan.Revert || step.Full || len(step.Edits) != 2 || len(step.Keep) != 0 {
		t.Errorf("a heal is of exactly the judged paths: %+v", step)
	}
}

// TestOrder: definitions and namespaces first, then waves, then kinds.
func TestOrder(t *testing.T) {
	names := []string{"Deployment", "Service", "ConfigMap", "Namespace", "CustomResourceDefinition"}
	groups := map[string]string{"Deployment": "apps", "CustomResourceDefinition": "apiextensions.k8s.io"}
	var objects []drift.Object
	for _, kind := range names {
		objects = append(objects, drift.Object{ID: manifest.ID{Group: groups[kind], Kind: kind, Name: "x"}, Verdict: api.VerdictMissing})
	}
	order := func(waves map[manifest.ID]int) []string {
		var got []string
		for _, s := range plan.Make(plan.Input{Objects: objects, Policy: plan.Policy{Stage: api.StageSync, Waves: waves}}).Steps() {
			got = append(got, s.ID.Kind)
		}
		return got
	}
	if diff := cmp.Diff([]string{"CustomResourceDefinition", "Namespace", "ConfigMap", "Service", "Deployment"}, sorted(order(nil), 2)); diff != "" {
		t.Errorf("by kind (-want +got):\n%s", diff)
	}
	waves := map[manifest.ID]int{{Group: "apps", Kind: "Deployment", Name: "x"}: -1, {Kind: "Service", Name: "x"}: 2}
	if diff := cmp.Diff([]string{"CustomResourceDefinition", "Namespace", "Deployment"}, sorted(order(waves), 2)); diff != "" {
		t.Errorf("a later wave waits for the one that is not there yet (-want +got):\n%s", diff)
	}
	objects[0].Verdict, objects[0].Health = api.VerdictInSync, drift.Health{Status: "Current"}
	if diff := cmp.Diff([]string{"CustomResourceDefinition", "Namespace", "ConfigMap"}, sorted(order(waves), 2)); diff != "" {
		t.Errorf("and goes on when it is (-want +got):\n%s", diff)
	}
	objects[0].Health.Status = "InProgress"
	if diff := cmp.Diff([]string{"CustomResourceDefinition", "Namespace"}, sorted(order(waves), 2)); diff != "" {
		t.Errorf("healthy, that is (-want +got):\n%s", diff)
	}
}

// sorted orders the first n, which may go in any order.
func sorted(list []string, n int) []string {
	slices.Sort(list[:n])
	return list
}

// TestObserveIsRefusedThroughout: whatever a policy says beside the stage.
func TestObserveIsRefusedThroughout(t *testing.T) {
	objects, removed := shop()
	p := at(objects, removed, api.StageObserve)
	agreed := map[string]bool{}
	for _, line := range slices.Concat(p.Heal.Lines, p.Prune.Lines) {
		agreed[line.Digest()] = true
	}
	in := plan.Input{Objects: objects, Policy: plan.Policy{
		Stage: api.StageObserve, Takeover: true, Backlog: api.BacklogRevert, Agreed: agreed,
		Approvals: maps.Collect(maps.All(map[string]bool{p.Heal.Digest: true, p.Prune.Digest: true})),
	}}
	if got := plan.Make(in); got.Granted() || len(got.Steps()) != 0 {
		t.Errorf("something is granted:\n%s", got)
	}
}
