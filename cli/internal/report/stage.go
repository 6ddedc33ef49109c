// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// StageOrder is the stages in ascending order.
var StageOrder = []v1alpha1.Stage{v1alpha1.StageObserve, v1alpha1.StageSync, v1alpha1.StageSelfHeal, v1alpha1.StagePrune}

// adds is what each stage adds to the one before.
var adds = map[v1alpha1.Stage]string{
	v1alpha1.StageObserve:  "compares and reports; writes nothing",
	v1alpha1.StageSync:     "applies what Git changes from then on; hand edits stay, and stay reported",
	v1alpha1.StageSelfHeal: "reverts hand edits and recreates what was deleted; drift older than the step waits for an approval",
	v1alpha1.StagePrune:    "deletes what Git drops, within the budget, after the quarantine; adopted objects after an approval",
}

// IdentityFor names the field of spec.identity that a stage needs and the
// Application lacks; "" is none.
func IdentityFor(app *v1alpha1.Application, stage v1alpha1.Stage) string {
	id := app.Spec.Identity
	at := slices.Index(StageOrder, stage)
	switch {
	case id.Observe == "":
		return "observe"
	case at >= 1 && id.Apply == "":
		return "apply"
	case at >= 3 && id.Prune == "":
		return "prune"
	default:
		return ""
	}
}

// Stage is where an Application stands on the way up.
type Stage struct {
	app *v1alpha1.Application
	now time.Time
}

// StageOf looks at one.
func StageOf(app *v1alpha1.Application, now time.Time) Stage { return Stage{app, now} }

// Text says what is in effect, what holds it, and what the next step adds.
func (g Stage) Text(s screen.Style) string {
	p := screen.NewPage(s)
	st := g.app.Status.Stage
	p.Line(0, screen.Bold("Application "+g.app.Namespace+"/"+g.app.Name))
	effective := "Unknown: the drift-controller has not said yet"
	if st.Effective != "" {
		effective = string(st.Effective) + ": " + adds[st.Effective]
		if st.Since != nil {
			effective += " (since " + since(st.Since.Time, g.now) + ")"
		}
	}
	p.Prose(2, 12, screen.Plain("in effect   "+effective))
	p.Prose(2, 12, screen.Plain("ceiling     "+string(g.app.Spec.Stage)))
	if st.HeldBy != "" {
		p.Prose(2, 12, screen.Yellow("held by     "+st.HeldBy))
	}
	next, ok := g.next()
	if !ok {
		return p.String()
	}
	p.Prose(2, 12, screen.Plain("next        "+string(next)+": "+adds[next]))
	for _, note := range g.asks(next) {
		p.Prose(14, 0, screen.Plain(note))
	}
	if next != g.app.Spec.Stage && slices.Index(StageOrder, next) > slices.Index(StageOrder, g.app.Spec.Stage) {
		p.Verbatim(14, screen.Plain(fmt.Sprintf("take it: holdfast stage %s -n %s %s", g.app.Name, g.app.Namespace, next)))
	}
	return p.String()
}

func (g Stage) next() (v1alpha1.Stage, bool) {
	at := slices.Index(StageOrder, g.app.Status.Stage.Effective)
	if at < 0 || at+1 >= len(StageOrder) {
		return "", false
	}
	return StageOrder[at+1], true
}

// asks is what stands before the next step, as far as it is known here.
func (g Stage) asks(next v1alpha1.Stage) []string {
	var notes []string
	if missing := IdentityFor(g.app, next); missing != "" {
		notes = append(notes, "needs spec.identity."+missing+", which is not named")
	}
	if reason, _ := whyNotCurrent(g.app, g.now); reason != "" || g.app.Status.Summary == nil {
		return append(notes, "there is no current verdict, so what it would meet is not known")
	}
	sum := g.app.Status.Summary
	if next == v1alpha1.StageSelfHeal && sum.Drifted > 0 {
		notes = append(notes, fmt.Sprintf("%d drifted objects become backlog: spec.heal.backlog decides (Approve when left out)", sum.Drifted))
	}
	if next == v1alpha1.StagePrune && sum.Removed > 0 {
		notes = append(notes, fmt.Sprintf("%d objects that Git no longer declares would be looked at", sum.Removed))
	}
	return notes
}

// Value is the same for programs.
func (g Stage) Value() any {
	v := map[string]any{
		"application": g.app.Namespace + "/" + g.app.Name, "ceiling": g.app.Spec.Stage,
		"effective": g.app.Status.Stage.Effective, "heldBy": g.app.Status.Stage.HeldBy,
	}
	if next, ok := g.next(); ok {
		v["next"] = map[string]any{"stage": next, "notes": append([]string{}, g.asks(next)...)}
	}
	return v
}

// Names is the Application.
func (g Stage) Names() []string { return []string{applicationName(g.app)} }
