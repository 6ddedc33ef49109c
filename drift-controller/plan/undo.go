// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"time"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Pruned is an object that was deleted by us in the last days.
type Pruned struct {
	ID           manifest.ID
	Version, UID string
	At           time.Time
	// Undone: it was brought back. It stays in the plan, so that its digest
	// stands while the plan is carried out.
	Undone bool
	// Refused says why it cannot be brought back; empty if it can.
	Refused string
}

// UndoDigest is what an Approval names that asks these back.
func UndoDigest(list []Pruned) string {
	var part Part
	for _, u := range list {
		part.Lines = append(part.Lines, u.line())
	}
	part.seal("undo")
	return part.Digest
}

func (u Pruned) line() Line {
	return Line{ID: u.ID, Text: fmt.Sprintf("restore %s %s", u.ID, u.UID)}
}

// undo plans to bring back what a person has asked back. Nothing is brought
// back unasked, whatever was approved for other plans.
func (p *Plan) undo() {
	var part Part
	var planned []int
	open := 0
	asked := func(u Pruned) bool {
		return p.input.Policy.Prune.AskedBack != nil && p.input.Policy.Prune.AskedBack(u.ID)
	}
	digest := UndoDigest(p.input.Pruned)
	for _, u := range p.input.Pruned {
		part.Lines = append(part.Lines, u.line())
		if u.Undone {
			continue
		}
		open++
		a := Action{Verb: Restore, ID: u.ID, UID: u.UID, Needs: api.StageSync}
		a.how.line = u.line().Text
		if a.Refusal = u.Refused; a.Refusal == "" {
			a = p.input.grant(a)
		}
		if a.Refusal == "" && !asked(u) {
			a.Refusal = "it is brought back when somebody approves the undo plan " + digest
		}
		if u.Refused != "" {
			a.Verb, a.Needs = Leave, ""
		}
		if !p.plans(a.ID) {
			p.Actions = append(p.Actions, a)
			planned = append(planned, len(p.Actions)-1)
		}
	}
	part.seal("undo")
	part.Actions = open
	part.Message = p.against(planned)
	part.State = p.stateOfUndo(planned, open)
	p.Undo = part
}

// plans says whether something is planned for the object itself already.
func (p *Plan) plans(id manifest.ID) bool {
	return slices.ContainsFunc(p.Actions, func(a Action) bool { return a.ID == id && a.Pointer == "" })
}

func (p *Plan) stateOfUndo(planned []int, open int) api.PlanState {
	is := func(match func(Action) bool) bool {
		return slices.ContainsFunc(planned, func(i int) bool { return match(p.Actions[i]) })
	}
	switch {
	case len(p.input.Pruned) == 0:
		return api.PlanEmpty
	case open == 0:
		return api.PlanDone
	case is(func(a Action) bool { return a.Verb == Restore && a.Refusal == "" }):
		return api.PlanRunning
	case is(func(a Action) bool { return a.Verb == Restore }):
		return api.PlanAwaitingApproval
	}
	return api.PlanRefused
}

func (p *Plan) pruned(id manifest.ID) (version string) {
	for _, u := range p.input.Pruned {
		if u.ID == id {
			version = u.Version
		}
	}
	return version
}
