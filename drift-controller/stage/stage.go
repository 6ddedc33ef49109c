// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stage answers "may I?".
//
// In: the ceiling of an Application, its Project's and rollout's limits. Out:
// the effective stage, and what holds it below the ceiling. A stage includes
// the ones before it. Nobody else compares stages, and nothing raises one but
// the declarations that come in.
package stage

import (
	"slices"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

var order = []api.Stage{api.StageObserve, api.StageSync, api.StageSelfHeal, api.StagePrune}

// Offered is the highest stage that this build can act at. Everything above
// is refused in status, never quietly treated as done.
const Offered = api.StagePrune

// Includes says whether a stage grants what another one grants. A word that is
// no stage grants nothing.
func Includes(granted, needed api.Stage) bool {
	g, n := slices.Index(order, granted), slices.Index(order, needed)
	return g >= 0 && n >= 0 && g >= n
}

// Limit is one upper bound, and in whose name.
type Limit struct {
	Stage api.Stage
	By    string
}

// Effective is the lowest of the ceiling and the limits. HeldBy names the
// first limit that holds it down; empty if nothing does.
func Effective(ceiling api.Stage, limits ...Limit) (effective api.Stage, heldBy string) {
	if !slices.Contains(order, ceiling) {
		ceiling = api.StageObserve
	}
	effective = ceiling
	for _, l := range limits {
		if !Includes(l.Stage, effective) {
			effective, heldBy = known(l.Stage), l.By
		}
	}
	return effective, heldBy
}

func known(s api.Stage) api.Stage {
	if slices.Contains(order, s) {
		return s
	}
	return api.StageObserve
}
