// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/change"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// ForMissing plans an object that is declared and not live, by stage alone.
func ForMissing(o drift.Object, effective api.Stage) Action {
	return Input{Policy: Policy{Stage: effective}}.missing(o)
}

// ForDifference plans one difference that counts as drift, by stage alone.
func ForDifference(o drift.Object, j drift.Judgement, effective api.Stage) Action {
	return Input{Policy: Policy{Stage: effective}}.difference(o, j)
}

// missing: creating what never was is sync's business, recreating what was
// there is heal's.
func (in Input) missing(o drift.Object) Action {
	a := Action{Verb: Create, ID: o.ID, Needs: api.StageSync, how: how{declared: true}}
	if o.Known {
		a.Needs = api.StageSelfHeal
		a.Old = in.Policy.Old[Key{ID: o.ID}]
	}
	a.how.line = fmt.Sprintf("create %s", o.ID)
	switch {
	case o.Reason == "Waiting":
		a.Refusal = o.Message
		return a
	case len(o.Findings) > 0:
		a.At, a.Refusal = in.Policy.Stage, "the API server would not take it: "+o.Findings[0]
		return a
	}
	return in.granted(o, a)
}

func (in Input) difference(o drift.Object, j drift.Judgement) Action {
	a := in.verb(o, j)
	a.how.line = fmt.Sprintf("%s %s %s %s %s>%s", a.Verb, o.ID, o.UID, j.Pointer, j.Live.Digest(), j.Wanted.Digest())
	switch {
	case a.Verb == Leave && a.Refusal == "":
		a.Refusal = "Holdfast never changes a field that is " + string(j.Class) + "; settle it with its writer, or in Git"
	case a.Verb == Leave:
	case o.Health.Status == string(status.TerminatingStatus):
		a.Verb, a.Needs, a.Refusal = Leave, "", "the object is being deleted"
	case in.Policy.Contested[a.key()] != "" && a.Verb == Revert:
		a.Verb, a.Needs, a.Refusal = Leave, "", in.Policy.Contested[a.key()]
	default:
		return in.granted(o, a)
	}
	return a
}

func (a Action) key() Key { return Key{ID: a.ID, Pointer: a.Pointer} }

// verb is what the class asks for.
func (in Input) verb(o drift.Object, j drift.Judgement) Action {
	value, present := j.Wanted.ToWrite()
	a := Action{
		ID: o.ID, UID: o.UID, Pointer: j.Pointer, Removes: j.Kind == api.Added, Default: fillsIn(j),
		how: how{declared: j.Declared, edit: change.Edit{Path: j.Path, Remove: !present, Value: value}},
	}
	switch j.Class {
	case api.ClassPending, api.ClassRemoved:
		a.Verb, a.Needs = Apply, api.StageSync
	case api.ClassManual:
		a.Verb, a.Needs, a.Old = Revert, api.StageSelfHeal, in.Policy.Old[a.key()]
		if !j.Heal {
			a.Verb, a.Needs, a.Refusal = Leave, "", j.Explanation
		}
		if j.Moved {
			// Both have changed it: whoever commits means the value.
			a.Verb, a.Needs, a.Refusal, a.Old = Apply, api.StageSync, "", false
			a.Why = "changed by hand and in Git since; Git wins"
			if !j.Declared {
				a.Why = "Git has dropped it"
			}
		}
	case api.ClassContested, api.ClassUnowned, api.ClassController, api.ClassDefault, api.ClassWebhook,
		api.ClassMissing, api.ClassStray, api.ClassUnknown:
		a.Verb = Leave
	}
	return a
}

// fillsIn is what the API server stores at a place that Git does not declare.
func fillsIn(j drift.Judgement) string {
	if j.Declared || !j.Wanted.Present() {
		return ""
	}
	if text := j.Wanted.Brief(); text != "" {
		return "the API server's own " + text
	}
	return "the API server's own value"
}

// granted asks everything that may stand against an action, the stage first.
func (in Input) granted(o drift.Object, a Action) Action {
	p := in.Policy
	a = in.grant(a)
	switch {
	case !stage.Includes(p.Stage, a.Needs):
	case !p.Takeover && tracked(o) != "":
		a.Refusal = "it carries the mark of " + tracked(o) + ": stop that tool and set spec.sync.takeover, or leave the object to it"
	case o.Undecided && a.Verb == Apply:
		a.Refusal = "other paths of the object could not be compared, and an apply carries all of them: let the observer dry-run"
	case p.Unsettled[o.ID]:
		a.Refusal = "the object enters Sync: its baseline is being recorded"
	case a.Refusal == "" && p.Failing[o.ID] != "":
		a.Why = p.Failing[o.ID]
	}
	return a
}

// grant asks the stage and what holds writes for now.
func (in Input) grant(a Action) Action {
	a.At = in.Policy.Stage
	a.Refusal = in.Policy.Holds.of(a.ID, a.Verb, a.Needs)
	if !stage.Includes(a.At, a.Needs) {
		a.Refusal = fmt.Sprintf("the stage is %s; %s needs %s", a.At, a.Verb, a.Needs)
	}
	return a
}

// tracked names a deployer that would fight over the object. A mark of Helm
// alone is none: nobody runs Helm but a person or a pipeline.
func tracked(o drift.Object) string {
	for _, mark := range o.Tracked {
		if strings.HasPrefix(mark, "Flux ") || strings.HasPrefix(mark, "Argo CD ") {
			return mark
		}
	}
	return ""
}
