// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// Rigor says how much of an entry a way of running a case can reproduce.
type Rigor struct {
	// Reenacted: the state was made anew, so that times are of now.
	Reenacted bool
	// DeclaredFields: without a dry run an object may be Unknown instead.
	DeclaredFields bool
}

// Check compares an outcome with what is expected of drift.
func Check(want casefile.Expect, got Outcome, rigor Rigor) []Problem {
	c := checker{got: got, rigor: rigor}
	var problems []Problem
	if want.Drift != nil {
		problems = append(problems, c.checkDrift(*want.Drift)...)
	}
	for _, entry := range want.Explained {
		problems = append(problems, c.checkExplained(entry)...)
	}
	forbidden, _ := checkMustNot(want, got)
	return append(problems, forbidden...)
}

type checker struct {
	got   Outcome
	rigor Rigor
}

// checkDrift: exactly the entries expected, and no other.
func (c checker) checkDrift(want []casefile.Entry) []Problem {
	var problems []Problem
	left := slices.DeleteFunc(slices.Clone(c.got.Lines), func(l Line) bool { return !l.actionable() })
	for _, entry := range want {
		i := find(left, entry)
		if i < 0 && c.rigor.DeclaredFields && c.undecided(entry) {
			continue
		}
		if i < 0 {
			problems = append(problems, Problem{Got: c.instead(entry), Want: describe(entry)})
			continue
		}
		problems = append(problems, c.checkEntry(entry, left[i], true)...)
		left = slices.Delete(left, i, i+1)
	}
	for _, l := range left {
		if c.rigor.DeclaredFields && c.got.Unknown[l.ID()] != "" {
			continue
		}
		problems = append(problems, Problem{Got: l.String() + " (" + l.Explanation + ")", Want: "no such entry"})
	}
	return problems
}

func (c checker) undecided(entry casefile.Entry) bool {
	return c.got.Unknown[entry.Object.ID()] != ""
}

// instead says what stands where an entry was expected.
func (c checker) instead(entry casefile.Entry) string {
	for _, l := range c.got.Lines {
		if isAt(l, entry) {
			return l.String() + ", which does not count (" + l.Explanation + ")"
		}
	}
	if reason := c.got.Unknown[entry.Object.ID()]; reason != "" {
		return "Unknown " + entry.Object.ID().String() + " (" + reason + ")"
	}
	return "no entry"
}

// checkExplained: if the difference is judged at all, then with this class;
// the same for what lies below its path.
func (c checker) checkExplained(entry casefile.Entry) []Problem {
	var problems []Problem
	reported := false
	for _, l := range c.got.Lines {
		if l.ID() != entry.Object.ID() || !keyedpath.Within(l.Indexed, entry.Path) {
			continue
		}
		reported = reported || l.Listed
		if l.Indexed == entry.Path {
			problems = append(problems, c.checkEntry(entry, l, false)...)
			continue
		}
		problems = append(problems, checkBelow(entry, l)...)
	}
	if !reported && mustBeReported(entry) && (!c.rigor.DeclaredFields || !c.undecided(entry)) {
		problems = append(problems, Problem{Got: "no entry", Want: describe(entry)})
	}
	return problems
}

func checkBelow(entry casefile.Entry, l Line) []Problem {
	var problems []Problem
	if !hasClass(l, entry.Class) {
		problems = append(problems, Problem{Got: l.String(), Want: describe(entry)})
	}
	return append(problems, checkHeal(entry, l)...)
}

func mustBeReported(entry casefile.Entry) bool {
	return strings.Contains(entry.Note, "must be reported")
}

// isAt: the same object and the same place in it.
func isAt(l Line, entry casefile.Entry) bool {
	return l.ID() == entry.Object.ID() && l.Indexed == entry.Path
}

// find prefers the line that has the very key of an entry: an item that is gone
// and one that came may have one position.
func find(lines []Line, entry casefile.Entry) int {
	exact := slices.IndexFunc(lines, func(l Line) bool {
		return isAt(l, entry) && entry.Keyed != "" && l.Path == withSlashes(entry.Keyed)
	})
	if exact >= 0 {
		return exact
	}
	return slices.IndexFunc(lines, func(l Line) bool { return isAt(l, entry) })
}

func describe(entry casefile.Entry) string {
	return entry.Class + " " + entry.Object.String() + at(entry.Path)
}
