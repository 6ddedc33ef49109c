// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"testing"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

func at(d time.Duration) metav1.Time { return metav1.NewTime(noon.Add(d)) }

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "users", Name: name, Generation: 2, CreationTimestamp: at(-72 * time.Hour)}
}

func ready(status metav1.ConditionStatus, generation int64, message string) []metav1.Condition {
	return []metav1.Condition{{Type: "Ready", Status: status, ObservedGeneration: generation, Reason: "X", Message: message}}
}

// TestNounScreens: an answer about an older declaration is Unknown, an approval
// of a plan that is no more approves nothing, and an emergency that nobody has
// looked at has no zero edits.
func TestNounScreens(t *testing.T) {
	git := sourcev1.GitRepository{ObjectMeta: named("repo"), Spec: sourcev1.GitRepositorySpec{URL: "https://git.example.com/x"}}
	git.Status.Conditions = ready(metav1.ConditionTrue, 2, "stored artifact for revision 'main@sha1:9f4c2a1b3c4d5e6f708192a3b4c5d6e7f8091a2b'")
	git.Status.Artifact = &fluxmeta.Artifact{Revision: "main@sha1:9f4c2a1b3c4d5e6f708192a3b4c5d6e7f8091a2b", LastUpdateTime: at(-time.Hour)}
	stale := sourcev1.OCIRepository{ObjectMeta: named("stale")}
	stale.Status.Conditions = ready(metav1.ConditionTrue, 1, "fine")
	suspended := sourcev1.GitRepository{ObjectMeta: named("asleep"), Spec: sourcev1.GitRepositorySpec{Suspend: true}}
	app := v1alpha1.Application{ObjectMeta: named("web")}
	app.Status.Plans = &v1alpha1.Plans{Heal: &v1alpha1.PlanStatus{Digest: "sha256:aaaaaaaaaaaaaaaa"}}
	approval := func(name, digest string, until time.Duration) v1alpha1.Approval {
		return v1alpha1.Approval{ObjectMeta: named(name), Spec: v1alpha1.ApprovalSpec{
			Application: "web", Digest: digest, By: "anna@example.com", Reason: "walked through the list with the batch team", Until: at(until)}}
	}
	glass := func(name, phase string) v1alpha1.BreakGlass {
		return v1alpha1.BreakGlass{ObjectMeta: named(name), Spec: v1alpha1.BreakGlassSpec{
			Application: "web", RequestedBy: "oncall", Reason: "pgbouncer failover", Until: at(time.Hour)},
			Status: v1alpha1.BreakGlassStatus{Phase: phase, Counts: v1alpha1.BreakGlassCounts{NotInGit: 1}}}
	}
	holding := func(glass string) v1alpha1.Application {
		o := v1alpha1.Application{ObjectMeta: named("api")}
		o.Status.Hold = &v1alpha1.Hold{BreakGlass: glass, RequestedBy: "oncall", Reason: "pgbouncer failover", Ended: true}
		return o
	}
	rollout := v1alpha1.StageRollout{ObjectMeta: named("backend"), Spec: v1alpha1.StageRolloutSpec{
		Target: v1alpha1.StageSelfHeal, Waves: []v1alpha1.Wave{{Name: "internal"}, {Name: "backend"}}}}
	for file, l := range map[string]Listing{
		"sources":    Sources([]sourcev1.GitRepository{git, suspended}, []sourcev1.OCIRepository{stale}),
		"rollouts":   Rollouts([]v1alpha1.StageRollout{rollout}),
		"approvals":  Approvals([]v1alpha1.Approval{approval("now", "sha256:aaaaaaaaaaaaaaaa", time.Hour), approval("old", "sha256:bbbbbbbbbbbbbbbb", time.Hour), approval("over", "sha256:aaaaaaaaaaaaaaaa", -time.Hour)}, []v1alpha1.Application{app}),
		"breakglass": Emergencies([]v1alpha1.BreakGlass{glass("night", "Open"), glass("unseen", "")}, []v1alpha1.Application{app, holding("night"), holding("deleted")}),
	} {
		l.Now = noon
		golden(t, "testdata/nouns/"+file+".txt", l.Text(screen.Style{}))
	}
}

// TestPlanScreen is what somebody reads before approving a deletion.
func TestPlanScreen(t *testing.T) {
	app := &v1alpha1.Application{ObjectMeta: named("web")}
	app.Status.ObservedGeneration = 2
	app.Status.Stage = v1alpha1.StageStatus{Effective: v1alpha1.StagePrune}
	app.Status.Compared = &v1alpha1.Compared{Revision: "main@sha1:9f4c", ValidUntil: at(time.Hour)}
	digest := "sha256:7d0e5a1f0c8b2f4e6a9d3c7b1e5f8a2d4c6b9e0f3a7d1c5b8e2f6a0d4c9b3e7f"
	app.Status.Plans = &v1alpha1.Plans{
		Prune: &v1alpha1.PlanStatus{Digest: digest, State: v1alpha1.PlanAwaitingApproval, Actions: 1, Deletions: 1,
			Message: "refused: PersistentVolumeClaim users/cache: protected kind"},
		Undo: &v1alpha1.PlanStatus{Digest: digest, State: v1alpha1.PlanWaiting, Actions: 1, Objects: []string{"Service users/old"}},
	}
	since, quarantine := at(-60*24*time.Hour), at(10*time.Minute)
	pages := []v1alpha1.Inventory{{Status: v1alpha1.InventoryStatus{Objects: []v1alpha1.InventoryEntry{
		{Object: v1alpha1.ObjectReference{Version: "v1", Kind: "ConfigMap", Namespace: "users", Name: "flags"}, Since: &since, Origin: v1alpha1.OriginApplied,
			Removed: &v1alpha1.Tombstone{Since: at(-time.Hour), Until: &quarantine, Revision: "main@sha1:77ab12cdef0123", Beside: "path"}},
		{Object: v1alpha1.ObjectReference{Version: "v1", Kind: "ConfigMap", Namespace: "users", Name: "kept"}},
	}}}}
	all := []PlanKind{HealPlan, PrunePlan, UndoPlan}
	golden(t, "testdata/nouns/plan.txt", NewPlans(app, pages, all, noon).Text(screen.Style{}))
	golden(t, "testdata/nouns/stage.txt", StageOf(app, noon).Text(screen.Style{}))
	if kind, plan := WithDigest(app, "sha256:7d0e5a1f"); kind != PrunePlan || plan == nil {
		t.Errorf("eight digits name a plan, got %q", kind)
	}
	if _, plan := WithDigest(app, "sha256:7d0e"); plan != nil {
		t.Error("four digits name nothing")
	}
}
