// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rollouts

import (
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func judged() *api.Application {
	app := &api.Application{}
	app.Generation = 3
	app.Status.Compared = &api.Compared{ValidUntil: metav1.NewTime(noon.Add(time.Minute))}
	app.Status.Summary = &api.Summary{Objects: 2, InSync: 2}
	app.Status.Conditions = []metav1.Condition{{Type: contract.ReadyCondition, Status: metav1.ConditionTrue, ObservedGeneration: 3}}
	return app
}

// TestUnjudged: what is not known to be well never rises.
func TestUnjudged(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*api.Application)
		want   string
	}{
		"judged":           {"its last verdict holds", func(*api.Application) {}, ""},
		"never compared":   {"nothing is known", func(a *api.Application) { a.Status.Compared = nil }, "not compared"},
		"too old":          {"its controller may be dead", func(a *api.Application) { a.Status.Compared.ValidUntil = metav1.NewTime(noon) }, "too old"},
		"not ready":        {"the last run ended early", func(a *api.Application) { a.Status.Conditions[0].Status = metav1.ConditionFalse }, "not Ready"},
		"another spec":     {"the verdict is about an older one", func(a *api.Application) { a.Generation = 4 }, "not Ready"},
		"unknown objects":  {"unknown is never green", func(a *api.Application) { a.Status.Summary.Unknown = 1 }, "1 objects are Unknown"},
		"no word on Ready": {"nor is silence", func(a *api.Application) { a.Status.Conditions = nil }, "not Ready"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			app := judged()
			tc.change(app)
			if got := unjudged(app, noon); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}

// TestKept: a rollout that is gone or unreadable keeps what it granted, raises
// nothing, and says what is the matter.
func TestKept(t *testing.T) {
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "stagerollouts"}, "backend")
	before := &api.StageGrant{Rollout: "backend", Stage: api.StageSelfHeal, Since: metav1.NewTime(noon)}
	if g, limit := kept(before, "backend", api.StagePrune, noon, gone); g != before || limit.Stage != api.StageSelfHeal || !strings.Contains(limit.By, "does not exist") {
		t.Errorf("it is kept: %+v %+v", g, limit)
	}
	if g, limit := kept(nil, "backend", api.StagePrune, noon, errors.New("no answer")); g.Stage != api.StageObserve || limit.Stage != api.StageObserve || !strings.Contains(limit.By, "no answer") {
		t.Errorf("without a grant it is Observe: %+v %+v", g, limit)
	}
	app := judged()
	app.Status.Stage.Granted = before
	if earlier(app, "other") != nil {
		t.Error("what another rollout granted is none of this one's business")
	}
}

// TestSettled: only a plan that waits for somebody holds.
func TestSettled(t *testing.T) {
	for state, want := range map[api.PlanState]bool{"Empty": true, "Approved": true, "Running": true, "Done": true, "AwaitingApproval": false, "Refused": false, "": false} {
		if got := settled(state); got != want {
			t.Errorf("%q: want %t, got %t", state, want, got)
		}
	}
}

// TestPublish: a selector that cannot be read is said, and nothing is counted
// anew.
func TestPublish(t *testing.T) {
	r := &api.StageRollout{}
	r.Spec.Target = api.StageSync
	r.Spec.Waves = []api.Wave{{Name: "all"}}
	list := api.ApplicationList{}
	for range 60 {
		list.Items = append(list.Items, api.Application{})
	}
	publish(r, members(list))
	if s := r.Status; s.Applications != 60 || s.AtTarget != 0 || len(s.Held) != mostNames || s.Wave != "all" {
		t.Errorf("who has no grant has not arrived, and names are few: %+v", s)
	}
	r.Spec.Waves[0].Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Like"}}
	publish(r, nil)
	if s := r.Status; s.Applications != 60 || s.Conditions[0].Status != metav1.ConditionFalse || s.Conditions[0].Reason != contract.InvalidSpecReason {
		t.Errorf("it is said: %+v", s)
	}
}
