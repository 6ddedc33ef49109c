// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"strings"
	"time"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// holds says which gate is closed.
func holds(r api.StageRollout, app Application, next api.Stage, soaked time.Duration) string {
	g := r.Spec.Gates
	wants := func(b *bool) bool { return b == nil || *b }
	drift := int32(0)
	if g.MaxUntriagedDrift != nil {
		drift = *g.MaxUntriagedDrift
	}
	switch {
	case r.Spec.Suspend:
		return "the rollout is suspended"
	case app.Unjudged != "":
		return app.Unjudged
	case app.Contested:
		return "somebody else writes what Git declares"
	case wants(g.Healthy) && !app.Healthy:
		return "it is not known to be healthy"
	case wants(g.SecretsValid) && !app.SecretsValid:
		return "its secrets are not known to be valid"
	case app.Untriaged > int(drift):
		return fmt.Sprintf("%d untriaged, %d allowed", app.Untriaged, drift)
	case g.MaxStrays != nil && app.Strays > int(*g.MaxStrays):
		return fmt.Sprintf("%d strays, %d allowed", app.Strays, *g.MaxStrays)
	case g.PlanApproved && next == api.StageSelfHeal && !app.HealPlanApproved:
		return "its heal plan is not approved"
	case g.PlanApproved && next == api.StagePrune && !app.PrunePlanApproved:
		return "its prune plan is not approved"
	}
	return soaks(g, soaked)
}

func soaks(g api.Gates, soaked time.Duration) string {
	soak := 24 * time.Hour
	if g.Soak != nil {
		soak = g.Soak.Duration
	}
	if soaked >= soak && soaked >= 0 {
		return ""
	}
	return "soak " + ticks(max(soaked, 0), soak) + " of " + short(soak)
}

// ticks tells a time in steps that suit the whole: whoever soaks for days shall
// not have a new status each minute.
func ticks(soaked, whole time.Duration) string {
	for _, step := range []time.Duration{time.Hour, 10 * time.Minute, time.Minute} {
		if whole >= 6*step {
			return short(soaked.Truncate(step))
		}
	}
	return short(soaked.Truncate(max(whole/4, time.Second)))
}

// short leaves out minutes and seconds that are none.
func short(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
