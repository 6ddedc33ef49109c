// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

// seeds is how many worlds are planned for; FAULTS_SEEDS says more.
func seeds(t *testing.T) uint64 {
	t.Helper()
	const few = 400
	said := os.Getenv("FAULTS_SEEDS")
	if said == "" {
		return few
	}
	n, err := strconv.ParseUint(said, 10, 32)
	if err != nil {
		t.Fatalf("FAULTS_SEEDS=%s is no number: %v", said, err)
	}
	return n
}

// truth is what is so of one removed object, whatever the plan is told.
type truth struct {
	ours, declared, handed, protected, adopted, beside, restored bool
	since                                                        time.Time
}

// world is an application that much happened to at once, with what a plan is
// told of it and what is true.
type world struct {
	input  plan.Input
	truths map[manifest.ID]truth
	edits  map[plan.Key]bool      // by hand: true if it is backlog
	empty  bool                   // the render is empty, partial or of a wrong path
	never  map[manifest.ID]string // what must not be written, and why
	held   bool                   // what comes first is not ready: nothing is applied
	glass  bool                   // an emergency is open
	budget int
}

// imagine makes the world of a seed.
func imagine(seed uint64) world {
	r := rand.New(rand.NewPCG(seed, 17)) //nolint:gosec // worlds, not secrets
	likely := func() bool { return r.IntN(4) == 0 }
	w := world{truths: map[manifest.ID]truth{}, edits: map[plan.Key]bool{}, never: map[manifest.ID]string{}, empty: likely(), glass: likely(), budget: r.IntN(4)}
	policy := plan.Policy{
		Stage: stages[r.IntN(len(stages))], Old: map[plan.Key]bool{}, Holds: plan.Holds{Objects: map[manifest.ID]string{}},
		Prune: plan.PrunePolicy{Max: intstr.FromInt32(int32(w.budget)), Total: 20, Quarantine: 10 * time.Minute, Now: noon}, //nolint:gosec // below 4
	}
	policy.Prune.Protect = []api.KindSelector{{Kind: "ConfigMap", Name: "guarded-*"}}
	if w.empty {
		policy.Prune.Refused = "the render is empty"
	}
	if w.glass {
		policy.Holds.All = "BreakGlass"
	}
	for i := range 1 + r.IntN(6) {
		w.remove(r, i)
	}
	w.input.Policy.Stage = policy.Stage
	if w.held = likely(); w.held {
		policy.Holds.Sync = "waits for db"
	}
	policy.Unsettled, policy.Contested, policy.Waves = map[manifest.ID]bool{}, map[plan.Key]string{}, map[manifest.ID]int{}
	for i := range r.IntN(3) {
		w.miss(r, i)
	}
	if r.IntN(3) == 0 {
		w.wait(&policy)
	}
	w.input.Pruned = []plan.Pruned{{ID: manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "pruned"}, Version: "v1", UID: "gone", At: noon}, {
		ID: manifest.ID{Kind: "Secret", Namespace: "shop", Name: "kept"}, Version: "v1", UID: "gone", At: noon, Refused: "a Secret is never kept",
	}}
	policy.Prune.AskedBack = func(id manifest.ID) bool { return id.Name == "kept" }
	for i := range 1 + r.IntN(4) {
		w.edit(r, i, &policy)
	}
	w.input.Policy = policy
	return w
}

func (w *world) remove(r *rand.Rand, i int) {
	likely := func() bool { return r.IntN(3) == 0 }
	is := truth{
		ours: !likely(), declared: likely(), handed: likely(), protected: likely(), adopted: likely(), beside: likely(), restored: likely(),
		since: noon.Add(-time.Duration(r.IntN(40)-10) * time.Minute),
	}
	kind, name := "ConfigMap", fmt.Sprint(i)
	if r.IntN(6) == 0 {
		name = "guarded-" + name
	}
	if is.protected {
		kind = []string{"PersistentVolumeClaim", "Namespace", "CustomResourceDefinition", "PersistentVolume"}[r.IntN(4)]
	}
	removed := plan.Removed{
		ID: manifest.ID{Kind: kind, Namespace: "shop", Name: name}, Version: "v1", UID: fmt.Sprint("uid-", i),
		Origin: api.OriginApplied, Seen: noon, Since: is.since,
	}
	if kind == "CustomResourceDefinition" {
		removed.ID.Group = "apiextensions.k8s.io"
	}
	if !is.ours {
		removed.UID = "" // never recorded: a copy of our labels, or an intent
	}
	if is.declared {
		removed.Unproven = "two renders disagree"
	}
	if is.handed {
		removed.Keeps = "shop/other declares it"
	}
	if is.adopted {
		removed.Origin = api.OriginAdopted
	}
	if is.beside {
		removed.Beside = "spec.path"
	}
	removed.Restored = is.restored
	w.truths[removed.ID] = is
	w.input.Removed = append(w.input.Removed, removed)
}

func (w *world) edit(r *rand.Rand, i int, policy *plan.Policy) {
	classes := []api.Class{api.ClassManual, api.ClassContested, api.ClassUnowned, api.ClassController, api.ClassPending, api.ClassWebhook}
	class := classes[r.IntN(len(classes))]
	o := drifted(fmt.Sprint(i), declared(judgement("/spec/x", class, class == api.ClassManual)))
	key := plan.Key{ID: o.ID, Pointer: "/spec/x"}
	if class == api.ClassManual {
		w.edits[key] = r.IntN(2) == 0
		policy.Old[key] = w.edits[key]
	}
	if r.IntN(5) == 0 {
		o.Verdict = api.VerdictUnknown
	}
	w.forbid(r, &o, key, policy)
	w.input.Objects = append(w.input.Objects, o)
}

// forbid draws one thing that stands against writing an object with a
// difference.
func (w *world) forbid(r *rand.Rand, o *drift.Object, key plan.Key, policy *plan.Policy) {
	manual := o.Judgements[0].Class == api.ClassManual
	switch r.IntN(9) {
	case 0:
		o.Tracked, w.never[o.ID] = []string{"Flux Kustomization shop"}, "another tool writes it too"
	case 1:
		o.Health.Status, w.never[o.ID] = "Terminating", "it is being deleted"
	case 2:
		policy.Holds.Objects[o.ID], w.never[o.ID] = "backoff", "it is held alone"
	case 3:
		policy.Unsettled[o.ID], w.never[o.ID] = true, "its baseline is not on record"
	case 4:
		if manual {
			policy.Contested[key], w.never[o.ID] = "reverted 3 times", "somebody fights for it"
		}
	case 5:
		if o.Undecided = !manual; o.Undecided {
			w.never[o.ID] = "an apply would carry what was not compared"
		}
	case 6:
		if o.Judgements[0].Heal = !manual; manual {
			w.never[o.ID] = "an operational mark is not healed"
		}
	}
}

// miss is an object that is not there: a person has deleted it, or the server
// would not take it, or it waits for its namespace.
func (w *world) miss(r *rand.Rand, i int) {
	o := drift.Object{ID: id("ConfigMap", fmt.Sprint("missing-", i)), Verdict: api.VerdictMissing}
	switch r.IntN(4) {
	case 0:
		if o.Known = true; w.input.Policy.Stage == api.StageSync {
			w.never[o.ID] = "a person has deleted it, so that creating it is a heal"
		}
	case 1:
		o.Findings, w.never[o.ID] = []string{"spec.x: unknown field"}, "the server would not take it"
	case 2:
		o.Reason, o.Message, w.never[o.ID] = "Waiting", "waits for its namespace", "its namespace is not there"
	}
	w.input.Objects = append(w.input.Objects, o)
}

// wait is a second wave that waits for the first.
func (w *world) wait(policy *plan.Policy) {
	first := drift.Object{ID: id("ConfigMap", "first"), Verdict: api.VerdictInSync, Health: drift.Health{Status: "InProgress"}}
	second := drift.Object{ID: id("ConfigMap", "second"), Verdict: api.VerdictMissing}
	policy.Waves[second.ID], w.never[second.ID] = 1, "the first wave is not healthy"
	w.input.Objects = append(w.input.Objects, first, second)
}

// wrong says what is wrong with a plan, by what is true and not by what it was
// told.
func (w world) wrong(p plan.Plan) string {
	stage := w.input.Policy.Stage
	deletions := 0
	for _, s := range p.Steps() {
		if w.glass || stage == api.StageObserve {
			return fmt.Sprintf("%s %s: nothing may be written", s.Verb, s.ID)
		}
		switch s.Verb {
		case plan.Delete:
			deletions++
			if words := w.wronglyDeleted(s); words != "" {
				return fmt.Sprintf("deletes %s: %s", s.ID, words)
			}
		case plan.Revert:
			old, byHand := w.edits[plan.Key{ID: s.ID, Pointer: s.Pointers[0]}]
			if old || !byHand || stage == api.StageSync {
				return fmt.Sprintf("reverts %s: old %t, by hand %t, at %s", s.ID, old, byHand, stage)
			}
		case plan.Restore:
			return fmt.Sprintf("restores %s, which nobody has asked back", s.ID)
		case plan.Create, plan.Apply:
			if w.held && s.Needs == api.StageSync {
				return fmt.Sprintf("%s %s: what comes first is not ready", s.Verb, s.ID)
			}
		case plan.Leave:
		}
		if why := w.never[s.ID]; why != "" {
			return fmt.Sprintf("%s %s: %s", s.Verb, s.ID, why)
		}
		for _, o := range w.input.Objects {
			if o.ID == s.ID && o.Verdict == api.VerdictUnknown {
				return fmt.Sprintf("writes %s, which is Unknown", s.ID)
			}
		}
	}
	if deletions > w.budget {
		return fmt.Sprintf("%d deletions, the budget is %d", deletions, w.budget)
	}
	return ""
}

func (w world) wronglyDeleted(s plan.Step) string {
	is := w.truths[s.ID]
	switch {
	case w.input.Policy.Stage != api.StagePrune:
		return "the stage is no permission"
	case w.empty:
		return "the render is no proof"
	case !is.ours || s.UID == "":
		return "it is not ours"
	case is.declared:
		return "Git declares it"
	case is.handed:
		return "another application has it"
	case is.protected:
		return "it is protected"
	case s.ID.Kind == "ConfigMap" && strings.HasPrefix(s.ID.Name, "guarded-"):
		return "the Application protects it"
	case is.adopted || is.beside || is.restored:
		return "nobody approved it"
	case noon.Before(is.since.Add(10 * time.Minute)):
		return "it was not shown for long enough"
	}
	return ""
}

// TestFaults: no world gets a wrong write out of the plan.
func TestFaults(t *testing.T) {
	deleted, reverted := 0, 0
	for seed := range seeds(t) {
		w := imagine(seed)
		p := plan.Make(w.input)
		if words := w.wrong(p); words != "" {
			t.Fatalf("seed %d: %s\n%s", seed, words, p)
		}
		for _, s := range p.Steps() {
			switch s.Verb {
			case plan.Delete:
				deleted++
			case plan.Revert:
				reverted++
			case plan.Create, plan.Apply, plan.Restore, plan.Leave:
			}
		}
	}
	if deleted == 0 || reverted == 0 {
		t.Errorf("%d deletions and %d reverts: worlds in which nothing is right prove nothing", deleted, reverted)
	}
}
