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
	Name    string // namespace/name
	Labels  map[string]string
	Ceiling api.Stage
	// Granted so far, and since when; empty: nothing yet.
	Granted api.Stage
	Since   time.Time
	Findings
}

// Findings are what the last comparison of an Application says.
type Findings struct {
	// Judged: its last comparison is of now. What was not judged never rises.
	Judged bool
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

// Decide gives the grants of all Applications, by name.
func Decide(r api.StageRollout, apps []Application, now time.Time) (map[string]Grant, error) {
	waves, err := selectors(r)
	if err != nil {
		return nil, err
	}
	grants := map[string]Grant{}
	earlier := "" // an Application of an earlier wave that has not arrived
	for i, wave := range waves {
		members := slices.DeleteFunc(slices.Clone(apps), func(app Application) bool { return waveOf(waves, app) != i })
		late := ""
		for _, app := range members {
			g := decide(r, app, earlier, now)
			grants[app.Name] = g
			// Who rises in this very run has yet to show that it stands there.
			if late == "" && !there(r, app, Grant{Stage: known(app.Granted)}) {
				late = fmt.Sprintf("wave %s: %s is at %s", wave.name, app.Name, g.Stage)
			}
		}
		if earlier == "" {
			earlier = late
		}
	}
	return unselected(grants, apps), nil
}

// unselected Applications keep what they have: no wave says anything of them.
func unselected(grants map[string]Grant, apps []Application) map[string]Grant {
	for _, app := range apps {
		if _, granted := grants[app.Name]; !granted {
			grants[app.Name] = Grant{Stage: known(app.Granted), Since: app.Since, HeldBy: "no wave selects it"}
		}
	}
	return grants
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

// waveOf is the first wave that selects the Application, or -1.
func waveOf(waves []wave, app Application) int {
	return slices.IndexFunc(waves, func(w wave) bool { return w.selector.Matches(labels.Set(app.Labels)) })
}

// there says whether an Application has arrived: at the target, or at a ceiling
// below it that nothing raises.
func there(r api.StageRollout, app Application, g Grant) bool {
	return stage.Includes(g.Stage, r.Spec.Target) || stage.Includes(g.Stage, known(app.Ceiling))
}

func decide(r api.StageRollout, app Application, earlier string, now time.Time) Grant {
	g := Grant{Stage: known(app.Granted), Since: app.Since}
	if app.Granted == "" || app.Since.IsZero() {
		g.Since = now
	}
	if reason := falls(r, app, g); reason != "" {
		g = Grant{Stage: lower(r, g.Stage), Since: now, HeldBy: reason}
		return g
	}
	target, ceiling := known(r.Spec.Target), known(app.Ceiling)
	if stage.Includes(g.Stage, target) || stage.Includes(g.Stage, ceiling) {
		return g
	}
	next := order[slices.Index(order, g.Stage)+1]
	if g.HeldBy = holds(r, app, next, now.Sub(g.Since)); g.HeldBy == "" && earlier != "" {
		g.HeldBy = "waits for " + earlier
	}
	if g.HeldBy == "" {
		return Grant{Stage: next, Since: now}
	}
	return g
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

// holds says which gate is closed.
func holds(r api.StageRollout, app Application, next api.Stage, soaked time.Duration) string {
	g := r.Spec.Gates
	soak := 24 * time.Hour
	if g.Soak != nil {
		soak = g.Soak.Duration
	}
	wants := func(b *bool) bool { return b == nil || *b }
	drift := int32(0)
	if g.MaxUntriagedDrift != nil {
		drift = *g.MaxUntriagedDrift
	}
	switch {
	case r.Spec.Suspend:
		return "the rollout is suspended"
	case !app.Judged:
		return "it was not judged lately"
	case soaked < soak || soaked < 0:
		return fmt.Sprintf("soak %s of %s", max(soaked, 0).Truncate(time.Minute), soak)
	case app.Contested:
		return "somebody else writes what Git declares"
	case wants(g.Healthy) && !app.Healthy:
		return "it is not known to be healthy"
	case wants(g.SecretsValid) && !app.SecretsValid:
		return "its secrets are not known to be valid"
	case app.Untriaged > int(drift):
		return fmt.Sprintf("%d entries of drift that no approved plan has, %d allowed", app.Untriaged, drift)
	case g.MaxStrays != nil && app.Strays > int(*g.MaxStrays):
		return fmt.Sprintf("%d strays, %d allowed", app.Strays, *g.MaxStrays)
	case g.PlanApproved && next == api.StageSelfHeal && !app.HealPlanApproved:
		return "its heal plan is not approved"
	case g.PlanApproved && next == api.StagePrune && !app.PrunePlanApproved:
		return "its prune plan is not approved"
	}
	return ""
}

func known(s api.Stage) api.Stage {
	if slices.Contains(order, s) {
		return s
	}
	return api.StageObserve
}
