// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"slices"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// NoMoreThan finds what counts as drift without a dry run and does not with
// one, at the same place.
func NoMoreThan(without, with Outcome) []Problem {
	var problems []Problem
	for _, l := range without.Lines {
		if !l.Drift {
			continue
		}
		shown := slices.ContainsFunc(with.Lines, func(o Line) bool {
			return o.Drift && o.ID() == l.ID() && o.Path == l.Path
		})
		if !shown {
			problems = append(problems, Problem{
				Got: l.String() + " without a dry run (" + l.Explanation + ")", Want: "nothing that a dry run does not show",
			})
		}
	}
	return problems
}

// NoLessThan finds what counts as drift with a dry run and is called in sync
// without one, where Git declares the place or a person wrote it: of these no
// server has to tell us anything.
func NoLessThan(without, with Outcome) []Problem {
	var problems []Problem
	for _, l := range with.Lines {
		if !l.Drift || !declaredOrHuman(l) || without.Unknown[l.ID()] != "" {
			continue
		}
		seen := slices.ContainsFunc(without.Lines, func(o Line) bool {
			return o.Drift && o.ID() == l.ID() && (keyedpath.Within(o.Path, l.Path) || keyedpath.Within(l.Path, o.Path))
		})
		if !seen {
			problems = append(problems, Problem{
				Got: "in sync without a dry run", Want: l.String() + " (" + l.Explanation + "), or Unknown",
			})
		}
	}
	return problems
}

func declaredOrHuman(l Line) bool {
	return l.Path == "" || l.Declared || slices.ContainsFunc(l.Managers, func(m api.FieldManager) bool {
		return m.Role == string(writers.Human)
	})
}
