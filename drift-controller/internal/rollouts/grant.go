// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rollouts

import (
	"cmp"
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/clocks"
	"github.com/holdfast-gitops/holdfast/drift-controller/rollout"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// Grant gives the next grant of an Application that names a rollout, and the
// limit that it sets. A rollout that is missing, or that cannot be read, raises
// nothing: what was granted is kept, and what would lower it is not known.
func Grant(ctx context.Context, reader client.Reader, app *api.Application, reach api.Stage, present clocks.Times) (*api.StageGrant, stage.Limit) {
	name := app.Spec.Rollout
	if name == "" {
		return nil, stage.Limit{Stage: api.StagePrune}
	}
	before := earlier(app, name)
	r := &api.StageRollout{}
	err := reader.Get(ctx, client.ObjectKey{Name: name}, r)
	var g rollout.Grant
	if err == nil {
		g, err = rollout.Decide(*r, about(app, before, reach, present.Early), present.Early)
	}
	if err != nil {
		return kept(before, name, reach, present.Late, err)
	}
	if g.Since.Equal(present.Early) {
		g.Since = present.Late // what begins now has not begun earlier by either clock
	}
	// An arrival below the ceiling is held by the target alone.
	held := cmp.Or(g.HeldBy, "its target is "+string(r.Spec.Target))
	return made(name, g, reach), stage.Limit{Stage: g.Stage, By: "StageRollout " + name + ": " + held}
}

// earlier is what this rollout granted before; what another one did is none of
// its business.
func earlier(app *api.Application, name string) *api.StageGrant {
	if g := app.Status.Stage.Granted; g != nil && g.Rollout == name {
		return g
	}
	return nil
}

func kept(before *api.StageGrant, name string, reach api.Stage, now time.Time, err error) (*api.StageGrant, stage.Limit) {
	why := err.Error()
	if apierrors.IsNotFound(err) {
		why = "it does not exist: create it, or correct spec.rollout"
	}
	if before == nil {
		before = made(name, rollout.Grant{Stage: api.StageObserve, Since: now}, reach)
	}
	return before, stage.Limit{Stage: before.Stage, By: fmt.Sprintf("StageRollout %s: %s; what it granted is kept", name, why)}
}

func made(name string, g rollout.Grant, reach api.Stage) *api.StageGrant {
	return &api.StageGrant{Rollout: name, Stage: g.Stage, Since: metav1.NewTime(g.Since.Truncate(time.Second)), Reach: reach}
}

// about is what the gates hear of an Application: its last published word.
func about(app *api.Application, before *api.StageGrant, reach api.Stage, now time.Time) rollout.Application {
	a := rollout.Application{Labels: app.Labels, Reach: reach}
	if before != nil {
		a.Granted, a.Since = before.Stage, before.Since.Time
	}
	is := func(kind string, want metav1.ConditionStatus) bool {
		c := meta.FindStatusCondition(app.Status.Conditions, kind)
		return c != nil && c.Status == want && c.ObservedGeneration == app.Generation
	}
	a.Findings = rollout.Findings{
		Unjudged: unjudged(app, now),
		Healthy:  is(contract.HealthyCondition, metav1.ConditionTrue), Unhealthy: is(contract.HealthyCondition, metav1.ConditionFalse) && !moving(app),
		SecretsValid: is(contract.SecretsValidCondition, metav1.ConditionTrue), Contested: is(contract.ContestedCondition, metav1.ConditionTrue),
	}
	if s := app.Status.Summary; s != nil {
		a.Untriaged, a.Strays = int(s.Untriaged), int(s.Strays)
	}
	heal, prune := api.PlanState("Empty"), api.PlanState("Empty")
	if p := app.Status.Plans; p != nil {
		heal, prune = stateOf(p.Heal), stateOf(p.Prune)
	}
	a.HealPlanApproved, a.PrunePlanApproved = settled(heal), settled(prune)
	return a
}

func stateOf(p *api.PlanStatus) api.PlanState {
	if p == nil {
		return "Empty"
	}
	return p.State
}

// moving: what is on its way, as after each commit, is no reason to fall.
func moving(app *api.Application) bool {
	c := meta.FindStatusCondition(app.Status.Conditions, contract.HealthyCondition)
	return c != nil && c.Reason == contract.ProgressingReason
}

// settled plans wait for nobody: there is nothing in them, or it is approved.
func settled(s api.PlanState) bool {
	return s == "Empty" || s == "Approved" || s == "Running" || s == "Done"
}

// unjudged says why an Application's status is no ground to rise.
func unjudged(app *api.Application, now time.Time) string {
	c, s := app.Status.Compared, app.Status.Summary
	ready := meta.FindStatusCondition(app.Status.Conditions, contract.ReadyCondition)
	switch {
	case c == nil, s == nil:
		return "it was not compared yet"
	case !now.Before(c.ValidUntil.Time):
		return "its verdict is too old"
	case ready == nil, ready.Status != metav1.ConditionTrue, ready.ObservedGeneration != app.Generation:
		return "it is not Ready"
	case s.Unknown > 0:
		return fmt.Sprintf("%d objects are Unknown", s.Unknown)
	}
	return ""
}
