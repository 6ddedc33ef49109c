// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// Propagation of every deletion: what the object owns goes with it, and the
// request does not wait for that.
const Propagation = metav1.DeletePropagationBackground

// Removed is an object of the inventory that Git declares no more.
type Removed struct {
	ID      manifest.ID
	Version string
	UID     string
	// ResourceVersion that was read together with the UID.
	ResourceVersion string
	Origin          api.Origin
	// Seen: a deletion needs a check of the source that began after this.
	Seen time.Time
	// Since is when its tombstone was first shown, at a stage that grants the
	// deletion.
	Since time.Time
	// Unproven says why its absence from Git proves nothing; empty if it does.
	Unproven string
	// Keeps says why it must stay whatever Git says: another application has
	// it, something uses it, its deletion would take others along.
	Keeps string
	// Beside says what else changed, beside manifests, that the removal may
	// follow from: the path, an input, the spec. Empty if nothing.
	Beside string
	// Restored: somebody has asked it back before.
	Restored bool
	// Counted: a deletion that may have been sent is in Spent already.
	Counted bool
}

// PrunePolicy bounds deletions.
type PrunePolicy struct {
	// Max per day, as a count or a percentage of Total (at least one).
	Max   intstr.IntOrString
	Total int
	// Spent is what was deleted in the last 24 hours.
	Spent int
	// Protect is never deleted, beside what Holdfast protects always.
	Protect    []api.KindSelector
	Quarantine time.Duration
	// Refused says why nothing at all may be deleted; empty if nothing does.
	Refused string
	// AskedBack says whether an approved undo means the object; nil: none does.
	AskedBack func(manifest.ID) bool
	Now       time.Time
}

// protected kinds hold what no repository can give back.
var protected = []api.KindSelector{
	{Kind: "PersistentVolume"}, {Kind: "PersistentVolumeClaim"}, {Kind: "Namespace"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
}

// Budget is how many deletions a day allows in all.
func (p PrunePolicy) Budget() int {
	if p.Max.Type == intstr.Int {
		return max(p.Max.IntValue(), 0)
	}
	share, err := intstr.GetScaledValueFromIntOrPercent(&p.Max, p.Total, false)
	if err != nil {
		return 0 // what cannot be read allows nothing
	}
	if share == 0 && p.Max.StrVal != "0%" && p.Total > 0 {
		return 1
	}
	return share
}

// ForRemoved plans the deletion of an object, by stage alone.
func ForRemoved(id manifest.ID, effective api.Stage) Action {
	return Input{Policy: Policy{Stage: effective}}.grant(Action{Verb: Delete, ID: id, Needs: api.StagePrune})
}

// prune plans the deletions, after everything else.
func (p *Plan) prune() {
	var part Part
	var asked, planned []int
	for _, r := range p.input.Removed {
		a := Action{Verb: Delete, ID: r.ID, UID: r.UID, Needs: api.StagePrune}
		a.how.line = fmt.Sprintf("delete %s %s %s", r.ID, r.UID, Propagation)
		a.Refusal = p.input.Policy.Prune.keeps(r)
		kept := a.Refusal != ""
		a = p.input.grantedDelete(a)
		p.Actions = append(p.Actions, a)
		planned = append(planned, len(p.Actions)-1)
		if kept {
			continue
		}
		part.Lines = append(part.Lines, a.asLine())
		if r.asks() != "" {
			asked = append(asked, len(p.Actions)-1)
		}
	}
	part.seal("prune")
	part.State = stateOf(part, p.input.Policy)
	part.Approved = part.State == api.PlanApproved
	p.approve(&part, asked)
	p.quarantine()
	p.budget()
	part.State = p.stateOfPrune(part, planned, len(asked) > 0)
	part.Message = p.against(planned)
	p.Prune = part
}

// approve lets through what asks for an approval and has it.
func (p *Plan) approve(part *Part, asked []int) {
	for _, i := range asked {
		a := &p.Actions[i]
		if a.Refusal == "" && part.State != api.PlanApproved && !p.input.Policy.agreed(*a) {
			a.Refusal = p.removed(a.ID).asks() + ": approve the prune plan " + part.Digest
		}
	}
}

// stateOfPrune is what the deletions wait for, the approval first.
func (p *Plan) stateOfPrune(part Part, planned []int, asks bool) api.PlanState {
	runs := slices.ContainsFunc(planned, func(i int) bool { return p.Actions[i].Verb == Delete && p.Actions[i].Refusal == "" })
	switch {
	case len(planned) == 0:
		return api.PlanEmpty
	case part.Actions == 0, !stage.Includes(p.input.Policy.Stage, api.StagePrune):
		return api.PlanRefused
	case runs:
		return api.PlanRunning
	case asks && part.State != api.PlanApproved:
		return api.PlanAwaitingApproval
	}
	return api.PlanWaiting
}

// against gathers what stands against actions, and against how many.
func (p *Plan) against(planned []int) string {
	const most = 8
	var reasons []string
	objects := map[string][]string{}
	for _, i := range planned {
		a := p.Actions[i]
		if a.Refusal == "" {
			continue
		}
		if objects[a.Refusal] == nil {
			reasons = append(reasons, a.Refusal)
		}
		objects[a.Refusal] = append(objects[a.Refusal], a.ID.String())
	}
	var lines []string
	for _, reason := range reasons[:min(len(reasons), most)] {
		names := objects[reason]
		line := names[0]
		if more := len(names) - 1; more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, line+": "+reason)
	}
	if more := len(reasons) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more reasons: see the drift report", more))
	}
	return strings.Join(lines, "; ")
}

// asks says why a deletion needs an approval whatever the budget; empty if it
// needs none.
func (r Removed) asks() string {
	switch {
	case r.Restored:
		return "somebody asked it back"
	case r.Beside != "":
		return r.Beside + " changed, so its removal may not be meant"
	case r.Origin != api.OriginApplied:
		return "it was there before Holdfast"
	}
	return ""
}

// keeps says why an object is not to be deleted at any stage.
func (p PrunePolicy) keeps(r Removed) string {
	selects := func(s api.KindSelector) bool { return desired.Selects(s, r.ID) }
	switch {
	case p.Refused != "":
		return p.Refused
	case r.Unproven != "":
		return r.Unproven
	case r.UID == "":
		return "its UID was never recorded, so nothing proves that it is ours"
	case slices.ContainsFunc(protected, selects):
		return r.ID.Kind + " is protected: delete it by hand"
	case slices.ContainsFunc(p.Protect, selects):
		return "it is protected by the Application or its Project"
	}
	return r.Keeps
}

func (in Input) grantedDelete(a Action) Action {
	if a.Refusal != "" {
		a.Verb, a.Needs = Leave, ""
		return a
	}
	return in.grant(a)
}

// quarantine shows a deletion for a while before it happens.
func (p *Plan) quarantine() {
	policy := p.input.Policy.Prune
	for i := range p.Actions {
		a := &p.Actions[i]
		if a.Verb != Delete || a.Refusal != "" {
			continue
		}
		r := p.removed(a.ID)
		if until := r.Since.Add(policy.Quarantine); r.Since.IsZero() || policy.Now.Before(until) {
			a.Refusal = "in quarantine until " + until.UTC().Format(time.RFC3339)
		}
	}
}

// budget grants the first deletions in order, and no more than the day allows.
func (p *Plan) budget() {
	policy := p.input.Policy.Prune
	left := policy.Budget() - policy.Spent
	for i := range p.Actions {
		a := &p.Actions[i]
		if a.Verb != Delete || a.Refusal != "" {
			continue
		}
		if p.removed(a.ID).Counted {
			continue // it is sent once more, and counted once
		}
		if left <= 0 {
			a.Refusal = fmt.Sprintf("the budget is spent: %d of %s deletions in 24 hours", policy.Spent, strings.TrimSpace(policy.Max.String()))
			continue
		}
		left--
	}
}

func (p *Plan) removed(id manifest.ID) Removed {
	for _, r := range p.input.Removed {
		if r.ID == id {
			return r
		}
	}
	return Removed{}
}
