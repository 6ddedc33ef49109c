// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package plan says what would be done about a report, and what is refused.
//
// In: judgements and the effective stage. Out: ordered actions, each with the
// stage it needs and, where it is not allowed, the reason. Observe is a plan
// whose actions are all refused. The text form is what golden tests, the CLI
// and the report show. The package is pure: it has no client, and making a
// plan changes nothing.
package plan

import (
	"fmt"
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
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
	Leave  Verb = "leave"  // never changed by Holdfast at any stage
)

// Action is one step of a plan.
type Action struct {
	Verb    Verb
	ID      manifest.ID
	Pointer string
	// Needs is the stage that grants the verb, At the one it was planned for;
	// both are empty for Leave.
	Needs, At api.Stage
	// Removes: Git declares nothing there, so that following it removes the
	// field.
	Removes bool
	// Refusal says why it is not done; empty if it is.
	Refusal string
}

// Plan is the actions of one application, in the order of the report.
type Plan struct {
	Stage   api.Stage
	Actions []Action
}

// Make plans for an application's objects and removed objects.
func Make(objects []drift.Object, removed []manifest.ID, effective api.Stage) Plan {
	p := Plan{Stage: effective}
	for _, o := range objects {
		switch o.Verdict {
		case api.VerdictMissing:
			p.Actions = append(p.Actions, ForMissing(o, effective))
		case api.VerdictUnknown:
			continue // never healed, whatever else is known of it
		case api.VerdictInSync, api.VerdictDrifted:
		}
		for _, j := range o.Judgements {
			if j.Drift {
				p.Actions = append(p.Actions, ForDifference(o, j, effective))
			}
		}
	}
	for _, id := range removed {
		p.Actions = append(p.Actions, granted(Action{Verb: Delete, ID: id, Needs: api.StagePrune}, effective))
	}
	return p
}

// ForMissing plans an object that is declared and not live: creating what
// never was is sync's business, recreating what was there is heal's.
func ForMissing(o drift.Object, effective api.Stage) Action {
	a := Action{Verb: Create, ID: o.ID, Needs: api.StageSync}
	if o.Known {
		a.Needs = api.StageSelfHeal
	}
	if o.Reason == "Waiting" {
		a.Refusal = o.Message
		return a
	}
	return granted(a, effective)
}

// ForDifference plans one difference that counts as drift.
func ForDifference(o drift.Object, j drift.Judgement, effective api.Stage) Action {
	a := Action{ID: o.ID, Pointer: j.Pointer, Removes: j.Kind == api.Added && !j.Declared}
	switch j.Class {
	case api.ClassPending, api.ClassRemoved:
		a.Verb, a.Needs = Apply, api.StageSync
	case api.ClassManual:
		a.Verb, a.Needs = Revert, api.StageSelfHeal
	case api.ClassContested, api.ClassUnowned, api.ClassController, api.ClassDefault, api.ClassWebhook,
		api.ClassMissing, api.ClassStray, api.ClassUnknown:
		a.Verb = Leave
	}
	switch {
	case a.Verb == Leave:
		a.Refusal = "Holdfast never changes a field that is " + string(j.Class) + "; settle it with its writer, or in Git"
	case a.Verb == Revert && !j.Heal:
		a.Verb, a.Needs, a.Refusal = Leave, "", j.Explanation
	case o.Health.Status == string(status.TerminatingStatus):
		a.Verb, a.Needs, a.Refusal = Leave, "", "the object is being deleted"
	default:
		return granted(a, effective)
	}
	return a
}

func granted(a Action, effective api.Stage) Action {
	a.At = effective
	if !stage.Includes(effective, a.Needs) {
		a.Refusal = fmt.Sprintf("the stage is %s; %s needs %s", effective, a.Verb, a.Needs)
	}
	return a
}

// Next says in one line what will happen to a difference, for its reader.
func (a Action) Next() string {
	switch {
	case a.Verb == Leave:
		return "stays as it is: " + a.Refusal
	case a.Refusal == "":
		return a.would("will")
	case a.At == "":
		return "waits: " + a.Refusal
	}
	return fmt.Sprintf("at %s nothing is written; from %s on it %s", a.At, a.Needs, a.would("would"))
}

func (a Action) would(will string) string {
	if a.Removes && (a.Verb == Apply || a.Verb == Revert) {
		return will + " be removed, since Git does not declare it"
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
	case Leave:
	}
	return will + " be left alone"
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
		if a.Refusal != "" {
			fmt.Fprintf(&b, "  refused: %s", a.Refusal)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
