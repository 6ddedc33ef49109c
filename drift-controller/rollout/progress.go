// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"slices"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/stage"
)

// Member is an Application as its status describes it.
type Member struct {
	Name           string // namespace/name
	Labels         map[string]string
	Granted, Reach api.Stage
}

// Progress is how far a rollout has come.
type Progress struct {
	Applications, AtTarget int
	// Held are the names of those below the target, in order.
	Held []string
	// Wave whose turn it is, and what it waits for; empty: all have arrived.
	Wave, WaitsFor string
}

// Look counts. A member without a grant has not arrived. The error is a
// selector that cannot be read.
func Look(r api.StageRollout, members []Member) (Progress, error) {
	waves, err := selectors(r)
	if err != nil {
		return Progress{}, err
	}
	p := Progress{Applications: len(members)}
	first := make([]string, len(waves)) // who is late, a wave
	for _, m := range members {
		granted := known(m.Granted)
		if m.Granted != "" && stage.Includes(granted, known(r.Spec.Target)) {
			p.AtTarget++
		} else {
			p.Held = append(p.Held, m.Name)
		}
		w := waveOf(waves, m.Labels)
		if w < 0 || (m.Granted != "" && arrived(r, granted, m.Reach)) {
			continue
		}
		if late := fmt.Sprintf("%s is at %s", m.Name, granted); first[w] == "" || late < first[w] {
			first[w] = late
		}
	}
	slices.Sort(p.Held)
	if i := slices.IndexFunc(first, func(late string) bool { return late != "" }); i >= 0 {
		p.Wave, p.WaitsFor = waves[i].name, first[i]
	}
	return p, nil
}
