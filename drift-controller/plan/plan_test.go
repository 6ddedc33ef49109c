// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

var stages = []api.Stage{api.StageObserve, api.StageSync, api.StageSelfHeal, api.StagePrune}

func id(kind, name string) manifest.ID {
	return manifest.ID{Kind: kind, Namespace: "shop", Name: name}
}

func judgement(pointer string, class api.Class, heal bool) drift.Judgement {
	return drift.Judgement{
		Difference: compare.Difference{Pointer: pointer}, Class: class, Heal: heal, Explanation: "because of " + string(class), Rule: -1,
		Drift: class != api.ClassController && class != api.ClassDefault && class != api.ClassWebhook && class != api.ClassUnknown,
	}
}

// added: live has it, and Git does not declare it.
func added(j drift.Judgement) drift.Judgement {
	j.Kind = api.Added
	return j
}

// shop is an application in which everything happened at once.
func shop() ([]drift.Object, []manifest.ID) {
	return []drift.Object{
		{ID: id("ConfigMap", "edited"), Verdict: api.VerdictDrifted, Judgements: []drift.Judgement{
			judgement("/data/DB_HOST", api.ClassManual, true),
			added(judgement("/data/DROPPED", api.ClassRemoved, true)),
			judgement("/data/NEW", api.ClassPending, false),
		}},
		{ID: id("Deployment", "web"), Verdict: api.VerdictDrifted, Judgements: []drift.Judgement{
			judgement("/spec/replicas", api.ClassController, false),
			judgement("/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt", api.ClassManual, false),
			judgement("/spec/template/spec/containers/[name=web]/image", api.ClassContested, false),
			judgement("/spec/template/spec/hostNetwork", api.ClassUnowned, false),
			judgement("/spec/template/spec/schedulerName", api.ClassWebhook, false),
		}},
		{ID: id("Deployment", "leaving"), Verdict: api.VerdictDrifted, Health: drift.Health{Status: "Terminating"}, Judgements: []drift.Judgement{
			judgement("/spec/paused", api.ClassManual, true), judgement("/spec/replicas", api.ClassPending, false),
		}},
		{ID: id("Job", "never-was"), Verdict: api.VerdictMissing},
		{ID: id("Secret", "deleted"), Verdict: api.VerdictMissing, Known: true},
		{ID: id("Service", "early"), Verdict: api.VerdictMissing, Reason: "Waiting", Message: "Namespace shop is declared in the same set and not live yet"},
		{ID: id("Service", "fine"), Verdict: api.VerdictInSync, Judgements: []drift.Judgement{judgement("/spec/clusterIP", api.ClassDefault, false)}},
		{ID: id("Service", "unread"), Verdict: api.VerdictUnknown, Reason: "Forbidden", Judgements: []drift.Judgement{judgement("/spec/selector", api.ClassManual, true)}},
	}, []manifest.ID{id("ConfigMap", "old"), id("RoleBinding", "old")}
}

// noon is when these plans are made.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// at is the plan where nothing but the stage decides.
func at(objects []drift.Object, removed []manifest.ID, stage api.Stage) plan.Plan {
	in := plan.Input{Objects: objects, Policy: plan.Policy{
		Stage: stage, Prune: plan.PrunePolicy{Max: intstr.FromString("100%"), Total: 10, Now: noon},
	}}
	for _, r := range removed {
		in.Removed = append(in.Removed, plan.Removed{
			ID: r, Version: "v1", UID: "uid-" + r.Name, Origin: api.OriginApplied, Since: noon.Add(-time.Hour), Seen: noon,
		})
	}
	return plan.Make(in)
}

// TestGolden shows the plan as its reader sees it, stage by stage, with what
// each line says in a report. Refresh with -update.
func TestGolden(t *testing.T) {
	for _, stage := range stages {
		t.Run(string(stage), func(t *testing.T) {
			objects, removed := shop()
			p := at(objects, removed, stage)
			var text strings.Builder
			text.WriteString(p.String() + "\nin a report\n")
			for _, a := range p.Actions {
				fmt.Fprintf(&text, "  %s %s: %s\n", a.ID, a.Pointer, a.Next())
			}
			file := filepath.Join("testdata", strings.ToLower(string(stage))+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

func granted(p plan.Plan) map[string]plan.Verb {
	out := map[string]plan.Verb{}
	for _, a := range p.Actions {
		if a.Refusal == "" {
			out[a.ID.String()+" "+a.Pointer] = a.Verb
		}
	}
	return out
}

// TestAStageIsAPermission: Observe grants nothing at all, and each stage what
// the one before grants and one thing more (promise 4).
func TestAStageIsAPermission(t *testing.T) {
	objects, removed := shop()
	adds := map[api.Stage][]plan.Verb{
		api.StageSync: {plan.Create, plan.Apply}, api.StageSelfHeal: {plan.Create, plan.Revert}, api.StagePrune: {plan.Delete},
	}
	before := map[string]plan.Verb{}
	for _, stage := range stages {
		now := granted(at(objects, removed, stage))
		fresh := map[plan.Verb]bool{}
		for what, verb := range now {
			if _, had := before[what]; !had {
				fresh[verb] = true
			}
		}
		for what := range before {
			if now[what] != before[what] {
				t.Errorf("%s takes back %s", stage, what)
			}
		}
		want := map[plan.Verb]bool{}
		for _, verb := range adds[stage] {
			want[verb] = true
		}
		if diff := cmp.Diff(want, fresh); diff != "" {
			t.Errorf("what %s adds (-want +got):\n%s", stage, diff)
		}
		before = now
	}
	for _, word := range []api.Stage{"", "Everything"} {
		if n := len(granted(at(objects, removed, word))); n != 0 {
			t.Errorf("%q is no stage, and grants %d actions", word, n)
		}
	}
}

// TestNeverTouched: no stage touches what is not ours to change.
func TestNeverTouched(t *testing.T) {
	cases := map[string]struct {
		reason string
		object drift.Object
	}{
		"contested":   {"two writers would fight", drift.Object{ID: id("ConfigMap", "a"), Verdict: api.VerdictDrifted, Judgements: []drift.Judgement{judgement("/data/x", api.ClassContested, true)}}},
		"unowned":     {"nobody knows whose it is", drift.Object{ID: id("ConfigMap", "a"), Verdict: api.VerdictDrifted, Judgements: []drift.Judgement{judgement("/data/x", api.ClassUnowned, true)}}},
		"controller":  {"it owns it by design", drift.Object{ID: id("ConfigMap", "a"), Verdict: api.VerdictInSync, Judgements: []drift.Judgement{judgement("/data/x", api.ClassController, true)}}},
		"not to heal": {"an operational mark", drift.Object{ID: id("ConfigMap", "a"), Verdict: api.VerdictDrifted, Judgements: []drift.Judgement{judgement("/data/x", api.ClassManual, false)}}},
		"unknown":     {"what could not be judged", drift.Object{ID: id("ConfigMap", "a"), Verdict: api.VerdictUnknown, Judgements: []drift.Judgement{judgement("/data/x", api.ClassManual, true)}}},
		"terminating": {"it goes anyway", drift.Object{ID: id("ConfigMap", "a"), Verdict: api.VerdictDrifted, Health: drift.Health{Status: "Terminating"}, Judgements: []drift.Judgement{judgement("/data/x", api.ClassManual, true)}}},
		"waiting":     {"what it waits for comes first", drift.Object{ID: id("ConfigMap", "a"), Verdict: api.VerdictMissing, Reason: "Waiting", Message: "for its namespace"}},
		"in sync":     {"nothing to do", drift.Object{ID: id("ConfigMap", "a"), Verdict: api.VerdictInSync}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, stage := range stages {
				if got := granted(at([]drift.Object{tc.object}, nil, stage)); len(got) > 0 {
					t.Errorf("%s: at %s: %v", tc.reason, stage, got)
				}
			}
		})
	}
	hidden := judgement("/data/x", api.ClassManual, true)
	hidden.Drift, hidden.Rule = false, 0
	if p := at([]drift.Object{{ID: id("ConfigMap", "a"), Verdict: api.VerdictInSync, Judgements: []drift.Judgement{hidden}}}, nil, api.StagePrune); len(p.Actions) != 0 {
		t.Errorf("an ignored difference is no action: %s", p)
	}
}
