// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// Application is what a gate looks at.
type Application struct {
	Labels map[string]string
	// Reach is the furthest stage that everything but the rollout allows.
	Reach api.Stage
	// Granted so far, and since when; empty: nothing yet.
	Granted api.Stage
	Since   time.Time
	Findings
}

// Findings are what the last comparison of an Application says.
type Findings struct {
	// Unjudged says why that comparison is no ground to rise; empty if it is.
	Unjudged string
	// Untriaged entries count as drift and are in no approved plan.
	Untriaged, Strays                   int
	Healthy, Unhealthy                  bool // neither: not known
	SecretsValid, Contested             bool
	HealPlanApproved, PrunePlanApproved bool
}

// Grant is the stage of one Application, and what holds it.
type Grant struct {
	Stage  api.Stage
	Since  time.Time
	HeldBy string // empty: it is where it is to be
}

var order = []api.Stage{api.StageObserve, api.StageSync, api.StageSelfHeal, api.StagePrune}

// Decide gives the next grant of one Application. The rollout's status says
// which wave's turn it is. The error is a selector that cannot be read.
func Decide(r api.StageRollout, app Application, now time.Time) (Grant, error) {
	g := Grant{Stage: known(app.Granted), Since: app.Since}
	if app.Granted == "" || app.Since.IsZero() {
		g.Since = now
	}
	waves, err := selectors(r)
	if err != nil {
		return g, err
	}
	if reason := falls(r, app, g); reason != "" {
		return Grant{Stage: lower(r, g.Stage), Since: now, HeldBy: reason}, nil
	}
	if reach := known(app.Reach); !stage.Includes(reach, g.Stage) {
		// Whoever lowered the ceiling and lifts it again shall soak again.
		return Grant{Stage: reach, Since: now}, nil
	}
	if arrived(r, g.Stage, app.Reach) {
		return g, nil
	}
	next := order[slices.Index(order, g.Stage)+1]
	if g.HeldBy = holds(r, app, next, now.Sub(g.Since)); g.HeldBy == "" {
		g.HeldBy = queues(r, waves, app.Labels)
	}
	if g.HeldBy == "" {
		return Grant{Stage: next, Since: now}, nil
	}
	return g, nil
}

type wave struct {
	name     string
	selector labels.Selector
}

func selectors(r api.StageRollout) ([]wave, error) {
	waves := make([]wave, 0, len(r.Spec.Waves))
	for _, w := range r.Spec.Waves {
		selector, err := metav1.LabelSelectorAsSelector(&w.Selector)
		if err != nil {
			return nil, fmt.Errorf("StageRollout %s: wave %s: selector: %w", r.Name, w.Name, err)
		}
		waves = append(waves, wave{name: w.Name, selector: selector})
	}
	return waves, nil
}

// waveOf is the first wave that selects an Application, or -1.
func waveOf(waves []wave, of map[string]string) int {
	return slices.IndexFunc(waves, func(w wave) bool { return w.selector.Matches(labels.Set(of)) })
}

// queues says whether it is another wave's turn.
func queues(r api.StageRollout, waves []wave, of map[string]string) string {
	mine := waveOf(waves, of)
	turn := slices.IndexFunc(waves, func(w wave) bool { return w.name == r.Status.Wave })
	switch {
	case mine < 0:
		return "no wave selects it"
	case r.Status.ObservedGeneration != r.Generation:
		return "its waves were not counted yet"
	case turn >= 0 && mine > turn:
		return fmt.Sprintf("waits for wave %s: %s", r.Status.Wave, r.Status.WaitsFor)
	}
	return ""
}

// arrived says whether a stage is as far as a rollout will bring an
// Application: the target, or what everything else allows, if that is less.
func arrived(r api.StageRollout, granted, reach api.Stage) bool {
	return stage.Includes(granted, known(r.Spec.Target)) || stage.Includes(granted, known(reach))
}

// falls says why a grant is lowered.
func falls(r api.StageRollout, app Application, g Grant) string {
	if !stage.Includes(known(r.Spec.Target), g.Stage) {
		return "the target was lowered to " + string(known(r.Spec.Target))
	}
	if !stage.Includes(g.Stage, api.StageSelfHeal) {
		return "" // at Sync the fixing commit arrives, and below it nothing is granted
	}
	switch {
	case app.Unhealthy:
		return "lowered: it is not healthy"
	case app.Contested:
		return "lowered: somebody else writes what Git declares"
	}
	return ""
}

// lower is one stage less, or the target where that is lower.
func lower(r api.StageRollout, s api.Stage) api.Stage {
	below := order[max(slices.Index(order, s)-1, 0)]
	if target := known(r.Spec.Target); !stage.Includes(target, below) {
		return target
	}
	return below
}

func known(s api.Stage) api.Stage {
	if slices.Contains(order, s) {
		return s
	}
	return api.StageObserve
}
