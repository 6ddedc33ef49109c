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
		case a.Old && p.Heal.State == "Approved":
		case a.Verb == Delete && p.Prune.State == "Approved" && slices.Contains(p.Prune.Lines, a.how.line):
		default:
			count++
		}
	}
	return count
}
