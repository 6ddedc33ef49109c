// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Untriaged counts what somebody has yet to look at: drift that no approved
// plan has. What a sync will bring needs nobody's eye, or an application that
// is one commit behind could never rise to where commits arrive.
func (p Plan) Untriaged() int {
	count := 0
	for _, a := range p.Actions {
		switch {
		case a.Verb != Leave && a.Refusal == "": // done now
		case a.Needs == api.StageSync:
		case a.Old && p.Heal.State == api.PlanApproved:
		case a.Verb == Delete && p.Prune.Approved && slices.Contains(p.Prune.Lines, a.asLine()):
		default:
			count++
		}
	}
	return count
}
