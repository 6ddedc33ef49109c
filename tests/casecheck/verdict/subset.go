// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import "slices"

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
