// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// backlog decides about drift that is older than the step to SelfHeal. Reverting
// it unasked would be the incident, caused by us.
func (p *Plan) backlog() Part {
	policy := p.input.Policy
	var part Part
	for _, a := range p.Actions {
		if a.Old && a.Verb != Leave {
			part.Lines = append(part.Lines, a.asLine())
		}
	}
	part.seal("heal")
	part.State = stateOf(part, policy)
	for i := range p.Actions {
		a := &p.Actions[i]
		if !a.Old || a.Verb == Leave || a.Refusal != "" {
			continue
		}
		switch cmp.Or(policy.Backlog, api.BacklogApprove) {
		case api.BacklogRevert:
		case api.BacklogKeep:
			a.Refusal = "it is older than the step to SelfHeal, and spec.heal.backlog keeps it"
		case api.BacklogApprove:
			if part.State != api.PlanApproved && !policy.agreed(*a) {
				a.Refusal = "it is older than the step to SelfHeal: approve the heal plan " + part.Digest
			}
		}
	}
	return part
}

// stateOf is what a part with lines waits for.
func stateOf(part Part, policy Policy) api.PlanState {
	agreed := !slices.ContainsFunc(part.Lines, func(line Line) bool { return !policy.Agreed[line.Digest()] })
	switch {
	case part.Actions == 0:
		return api.PlanEmpty
	case policy.Approvals[part.Digest], agreed:
		return api.PlanApproved
	}
	return api.PlanAwaitingApproval
}

func (a Action) asLine() Line { return Line{ID: a.ID, Text: a.how.line} }

// seal makes the digest of the lines. Their order is none of a reader's choice.
func (part *Part) seal(kind string) {
	slices.SortFunc(part.Lines, func(a, b Line) int { return strings.Compare(a.Text, b.Text) })
	text := kind
	for _, line := range part.Lines {
		text += "\n" + line.Text
	}
	sum := sha256.Sum256([]byte(text))
	part.Digest, part.Actions = "sha256:"+hex.EncodeToString(sum[:]), len(part.Lines)
}
