// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/clocks"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// stops is what people do while a plan is on its way: they take back what it
// rests on. What stands when they are done is what a reader finds.
func (l *little) stops() {
	switch l.rand.IntN(8) {
	case 0:
		l.declareStage(api.StageObserve)
	case 1:
		l.open()
	case 2:
		l.approvals = nil
	}
	l.read, l.glass, l.approved = l.double.app.Spec.Stage, len(l.glasses) > 0, len(l.approvals) > 0
}

func (l *little) declareStage(s api.Stage) {
	l.double.app.Spec.Stage = s
	l.double.app.Generation++
}

func (l *little) open() {
	l.glasses = []api.BreakGlass{{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "now", CreationTimestamp: metav1.NewTime(l.now.Now())},
		Spec:       api.BreakGlassSpec{Application: "maps", Reason: "incident", RequestedBy: "anna", Until: metav1.NewTime(l.now.Now().Add(100 * time.Hour))},
	}}
}

// meddles is what people do to objects while a write is on its way.
func (l *little) meddles() {
	if l.rand.IntN(6) == 0 {
		l.person(fmt.Sprint("m-", l.rand.IntN(5)))
	}
}

// person edits, deletes, makes anew, or asks to keep.
func (l *little) person(name string) {
	data := map[string]any{"KEY": "git"}
	if o := l.objects[name]; o != nil {
		data, _, _ = unstructured.NestedMap(o.Object, "data")
	}
	switch what := l.rand.IntN(5); {
	case what == 0:
		l.remove(name)
	case what == 1 || l.objects[name] == nil:
		l.remove(name)
		l.persons[l.put(name, map[string]any{"KEY": "git"}).GetUID()] = true
	case what == 2:
		data["KEEP"] = "yes"
		l.put(name, data)
	default:
		data["EDIT"] = "by hand"
		l.put(name, data)
	}
}

// between is what happens between two runs.
func (l *little) between() {
	l.step(time.Duration(1+l.rand.IntN(90)) * time.Second)
	if l.rand.IntN(5) == 0 {
		l.step(time.Duration(l.rand.IntN(15)) * time.Minute)
	}
	if l.rand.IntN(4) == 0 { // the source fetches when it is due, too
		l.fetched = maps.Clone(l.git)
	}
	name := fmt.Sprint("m-", l.rand.IntN(5))
	switch l.rand.IntN(9) {
	case 0, 1: // a commit
		if l.git[name] {
			delete(l.git, name)
			delete(l.returned, name)
			break
		}
		l.git[name], l.returned[name] = true, l.now.Now()
	case 2:
		l.person(name)
	case 3, 4:
		l.declareStage(l.stage)
	case 5:
		l.glasses = nil
	case 6:
		l.approvals = []api.Approval{{Spec: api.ApprovalSpec{Application: "maps", Digest: l.digest, Until: metav1.NewTime(l.now.Now().Add(100 * time.Hour))}}}
	}
}

// judge looks at one write that came through.
func (l *little) judge(w write) {
	complain := func(words string) {
		if l.wrong == "" {
			l.wrong = fmt.Sprintf("%s of %s: %s", w.verb, w.name, words)
		}
	}
	needs := map[string]api.Stage{"apply": api.StageSync, "heal": api.StageSelfHeal, "delete": api.StagePrune}[w.verb]
	if w.before == nil {
		l.created[l.objects[w.name].GetUID()] = true
	}
	switch {
	case l.glass:
		complain("an emergency was open when it was read")
	case !stage.Includes(l.read, needs):
		complain("the stage was " + string(l.read) + " when it was read")
	case w.verb != "apply" && w.before.GetResourceVersion() != l.looked[w.name]:
		complain("it is not what was looked at")
	case w.verb == "delete":
		l.deletions++
		if words := l.wronglyDeleted(w); words != "" {
			complain(words)
		}
	}
}

func (l *little) wronglyDeleted(w write) string {
	now, since := l.now.Now(), l.shown[w.name]
	returned, again := l.returned[w.name]
	data, _, _ := unstructured.NestedMap(w.before.Object, "data")
	shown := l.double.app.Spec.Prune.Quarantine.Duration
	switch {
	case l.persons[w.before.GetUID()] && !l.approved:
		return "a person made it, and nobody approved"
	case data["KEEP"] != nil:
		return "a person asks to keep it"
	case l.fetched[w.name]:
		return "Git has not dropped it"
	case again && now.Sub(returned) > lapse:
		return "Git declares it again since " + now.Sub(returned).String()
	case since.IsZero(), now.Sub(since) < shown-clocks.Tolerance:
		return "it was shown for " + now.Sub(since).String()
	case l.deletions > l.double.app.Spec.Prune.MaxDeletions.IntValue():
		return fmt.Sprintf("it is deletion %d of the day", l.deletions)
	case w.user != "system:serviceaccount:shop:pruner" || l.double.app.Spec.Identity.Prune == "":
		return "nobody was named to do it, but " + w.user
	}
	return ""
}

// live plays a world to its end, and gives what went wrong.
func (l *little) live(ctx context.Context) string {
	const turns, quiet = 14, 4
	for range turns {
		l.run(ctx)
		l.between()
	}
	l.glasses = nil
	l.declareStage(l.stage)
	l.granted, l.touched = func() { l.read, l.glass, l.approved = l.stage, false, len(l.approvals) > 0 }, func() {}
	for range quiet {
		l.run(ctx)
		l.step(3 * time.Second)
	}
	for _, name := range slices.Sorted(maps.Keys(l.objects)) {
		if l.created[l.objects[name].GetUID()] && !l.git[name] && !l.app.memory.Knows(idOf(name)) && l.wrong == "" && len(l.app.memory) > 0 {
			l.wrong = name + " was created by us, and is in no inventory"
		}
	}
	return l.wrong
}

// run is one run, and a new process if it was the last of the old one.
func (l *little) run(ctx context.Context) {
	err := l.turn(ctx)
	if l.dead {
		l.start()
		return
	}
	if err != nil && l.wrong == "" && !errors.Is(err, errDead) {
		l.broken = err
	}
}

func littleSeeds(t *testing.T) uint64 {
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

// TestFaults: whatever people take back while a plan is on its way, whenever the
// process dies and whatever its clock says then, what comes through at a double
// of the API server is right.
func TestFaults(t *testing.T) {
	deletions, created := 0, 0
	for seed := range littleSeeds(t) {
		l := newLittle(seed, guards{})
		if wrong := l.live(t.Context()); wrong != "" || l.broken != nil {
			t.Fatalf("seed %d (FAULTS_SEEDS=%d shows it again): %s %v", seed, seed+1, wrong, l.broken)
		}
		deletions, created = deletions+l.deletions, created+len(l.created)
	}
	if deletions == 0 || created == 0 {
		t.Errorf("%d deletions and %d created: worlds in which nothing is right prove nothing", deletions, created)
	}
	t.Logf("%d deletions, %d created", deletions, created)
}

// TestEachGuardOfAWriteIsNeeded takes one guard away at a time: some world then
// goes wrong.
func TestEachGuardOfAWriteIsNeeded(t *testing.T) {
	for name, without := range map[string]guards{
		"UID and resourceVersion of a write": {ignores: ignores{uid: true, version: true}},
		"resourceVersion of a write":         {ignores: ignores{version: true}},
		"the intent before the write":        {ignores: ignores{intent: true}},
		"the second clock":                   {ignores: ignores{date: true}},
		"the grant is read past caches":      {cache: true},
		"the source is asked once more":      {source: true},
		"the stage at the writer":            {stage: true},
		"the account that is named":          {names: true},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(4000) {
				if wrong := newLittle(seed, without).live(t.Context()); wrong != "" {
					t.Logf("seed %d: %s", seed, wrong)
					return
				}
			}
			t.Error("no world needs it: either it guards nothing or these worlds are too kind")
		})
	}
}
