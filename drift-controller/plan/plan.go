// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/change"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// Verb is what an action does.
type Verb string

// The verbs.
const (
	Create Verb = "create" // an object that Git declares and live lacks
	Apply  Verb = "apply"  // what Git changed
	Revert Verb = "revert" // what was changed by hand
	Delete Verb = "delete" // what Git dropped
	// Restore brings back what was deleted by us, and asked back by a person.
	Restore Verb = "restore"
	Leave   Verb = "leave" // never changed by Holdfast at any stage
)

// Key names one place: an object and a path in it, or the object itself.
type Key struct {
	ID      manifest.ID
	Pointer string
}

// Input is what a plan is made of.
type Input struct {
	Objects []drift.Object
	Removed []Removed
	// Pruned objects of the last days, done and asked back or not.
	Pruned []Pruned
	Policy Policy
}

// Policy is everything beside the report that decides.
type Policy struct {
	Stage api.Stage
	// Takeover lets Sync write objects with marks of Flux or Argo CD.
	Takeover bool
	// Backlog says what to do with Old places: drift from before the step to
	// SelfHeal, or shown again by an ignore rule that ended.
	Backlog api.BacklogPolicy
	Old     map[Key]bool
	// Unsettled objects have no baseline from the step to Sync yet.
	Unsettled map[manifest.ID]bool
	// Contested places have been reverted too often; why, with both writers.
	Contested map[Key]string
	// Failing objects could not be written last time, and why.
	Failing map[manifest.ID]string
	// Waves order the objects of an application, the lowest first.
	Waves map[manifest.ID]int
	Holds Holds
	// Approvals are the digests that are approved now, Agreed the digests of
	// lines of plans that were approved while they were whole.
	Approvals map[string]bool
	Agreed    map[string]bool
	Prune     PrunePolicy
}

// Holds are what stops writes for now. An empty text holds nothing.
type Holds struct {
	All     string                 // everything
	Sync    string                 // creating and applying
	Objects map[manifest.ID]string // one object
}

func (h Holds) of(id manifest.ID, v Verb, needs api.Stage) string {
	switch {
	case h.All != "":
		return h.All
	case h.Objects[id] != "":
		return h.Objects[id]
	case needs == api.StageSync && (v == Create || v == Apply):
		return h.Sync
	}
	return ""
}

// Action is one line of a plan.
type Action struct {
	Verb    Verb
	ID      manifest.ID
	UID     string
	Pointer string
	// Needs is the stage that grants the verb, At the one it was planned for;
	// both are empty for Leave.
	Needs, At api.Stage
	// Removes: the API server stores nothing there for what Git says, so that
	// following Git removes the field.
	Removes bool
	// Default: Git declares nothing there either, and the API server would
	// store this of its own accord, as text.
	Default string
	// Refusal says why it is not done; empty if it is.
	Refusal string
	// Why says what is special about an action that is done.
	Why string
	// Old: it is part of the backlog.
	Old bool

	how how
}

// how is what only a step needs to know of an action.
type how struct {
	line     string // what an approval is about
	edit     change.Edit
	declared bool
}

// Plan is the actions of one application, in the order of the report.
type Plan struct {
	Stage   api.Stage
	Actions []Action
	// Heal, Prune and Undo are what an Approval can be about.
	Heal, Prune, Undo Part

	input Input
}

// Part is the part of a plan that needs an approval.
type Part struct {
	Digest  string
	State   api.PlanState
	Actions int
	// Lines of an approved part: they stay approved while it is carried out.
	Lines []Line
	// Approved as a whole, whatever else stands against it.
	Approved bool
	// Message says what stands against the part, or some of it.
	Message string
}

// Line is one action as an approval is about it.
type Line struct {
	ID   manifest.ID
	Text string
}

// Digest stands for the line where it is remembered.
func (l Line) Digest() string {
	const enough = 10
	sum := sha256.Sum256([]byte(l.Text))
	return hex.EncodeToString(sum[:enough])
}

func (p Policy) agreed(a Action) bool { return p.Agreed[Line{ID: a.ID, Text: a.how.line}.Digest()] }

// Make plans for an application.
func Make(in Input) Plan {
	p := Plan{Stage: in.Policy.Stage, input: in}
	for _, o := range in.Objects {
		switch o.Verdict {
		case api.VerdictMissing:
			p.Actions = append(p.Actions, in.missing(o))
		case api.VerdictUnknown:
			continue // never healed, whatever else is known of it
		case api.VerdictInSync, api.VerdictDrifted:
		}
		for _, j := range o.Judgements {
			if j.Drift {
				p.Actions = append(p.Actions, in.difference(o, j))
			}
		}
	}
	p.Heal = p.backlog()
	p.waves()
	p.prune()
	p.undo()
	return p
}

// String is the plan as text: a line an action.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan at %s: %d actions\n", p.Stage, len(p.Actions))
	for _, a := range p.Actions {
		fmt.Fprintf(&b, "  %-6s %s", a.Verb, a.ID)
		if a.Pointer != "" {
			fmt.Fprintf(&b, " %s", a.Pointer)
		}
		if a.Why != "" {
			fmt.Fprintf(&b, "  (%s)", a.Why)
		}
		if a.Refusal != "" {
			fmt.Fprintf(&b, "  refused: %s", a.Refusal)
		}
		b.WriteByte('\n')
	}
	for _, part := range []struct {
		name string
		Part
	}{{"heal", p.Heal}, {"prune", p.Prune}, {"undo", p.Undo}} {
		if part.Actions > 0 {
			fmt.Fprintf(&b, "%s plan %s: %d actions, %s\n", part.name, part.Digest, part.Actions, part.State)
		}
	}
	return b.String()
}

// Next says in one line what will happen to a place, for its reader.
func (a Action) Next() string {
	switch {
	case a.Verb == Leave:
		return "stays as it is: " + a.Refusal
	case a.Refusal == "" && a.Why != "":
		return a.would("will") + ": " + a.Why
	case a.Refusal == "":
		return a.would("will")
	case stage.Includes(a.At, a.Needs), a.At == "":
		return "waits: " + a.Refusal
	}
	return fmt.Sprintf("at %s %s; from %s on it %s", a.At, nothing(a.At), a.Needs, a.would("would"))
}

func nothing(at api.Stage) string {
	if at == api.StageObserve {
		return "nothing is written"
	}
	return "it is left as it is"
}

func (a Action) would(will string) string {
	writes := a.Verb == Apply || a.Verb == Revert
	switch {
	case writes && a.Removes && a.how.declared:
		return will + " be removed, since Git declares it empty"
	case writes && a.Removes:
		return will + " be removed, since Git does not declare it"
	case writes && a.Default != "":
		return will + " be set back to " + a.Default + ", since Git does not declare it"
	}
	switch a.Verb {
	case Create:
		return will + " be created"
	case Apply:
		return will + " be set to what Git declares"
	case Revert:
		return will + " be reverted to what Git declares"
	case Delete:
		return will + " be deleted"
	case Restore:
		return will + " be brought back"
	case Leave:
	}
	return will + " be left alone"
}

// ByPlace finds the action of a place.
func (p Plan) ByPlace() map[Key]Action {
	places := make(map[Key]Action, len(p.Actions))
	for _, a := range p.Actions {
		places[a.key()] = a
	}
	return places
}

// Granted says whether the plan writes anything at all.
func (p Plan) Granted() bool {
	for _, a := range p.Actions {
		if a.Verb != Leave && a.Refusal == "" {
			return true
		}
	}
	return false
}
