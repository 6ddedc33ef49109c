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
	for i, a := range p.Actions {
		if a.Old && a.Verb != Leave {
			part.Lines = append(part.Lines, p.Actions[i].how.line)
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
			if part.State != "Approved" && !policy.Agreed[a.how.line] {
				a.Refusal = "it is older than the step to SelfHeal: approve the heal plan " + part.Digest
			}
		}
	}
	return part
}

// stateOf is what a part with lines waits for.
func stateOf(part Part, policy Policy) api.PlanState {
	agreed := !slices.ContainsFunc(part.Lines, func(line string) bool { return !policy.Agreed[line] })
	switch {
	case part.Actions == 0:
		return "Empty"
	case policy.Approvals[part.Digest], agreed:
		return "Approved"
	}
	return "AwaitingApproval"
}

// seal makes the digest of the lines. Their order is none of a reader's choice.
func (part *Part) seal(kind string) {
	slices.Sort(part.Lines)
	sum := sha256.Sum256([]byte(kind + "\n" + strings.Join(part.Lines, "\n")))
	part.Digest, part.Actions = "sha256:"+hex.EncodeToString(sum[:]), len(part.Lines)
}
