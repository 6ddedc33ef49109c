// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"slices"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// Judgement is a difference with its class.
type Judgement struct {
	compare.Difference
	Class api.Class
	// Drift says whether it counts.
	Drift bool
	// Heal says whether self-heal may change it, were the stage high enough.
	Heal bool
	// Explanation is the row that decided, in words.
	Explanation string
	// Owners of the live value; none means that the writer is unknown.
	Owners []Owner
	// Rule is the position of the ignore rule that hides it, or NoRule, or
	// OwnRule.
	Rule int
	// Moved: Git wants something else than it did when the baseline was taken.
	Moved bool
	// Ended: an ignore rule that hid it has ended, so it is backlog.
	Ended bool
}

// Owner is a manager with the role the catalogue gives it.
type Owner struct {
	live.Manager
	Role writers.Role
}

// facts is what the rows of the tables look at.
type facts struct {
	kind       string // Kind.group of the object
	difference compare.Difference
	owners     []Owner // recorded writers only
	evidence   live.Evidence
	precision  api.Precision
	aggregated bool // the object is a ClusterRole with an aggregation rule
	// baseline is the digest of what was last applied or last agreed at the
	// path; baselined says whether the object has a baseline at all.
	baseline  string
	baselined bool
	dropped   bool // live has just what Git declared before, and declares no more
	earlier   bool // an earlier render of a deployer had this live value
	unset     bool // an earlier render of a deployer lacked this path
}

// row is one line of a table.
type row struct {
	name  string
	fits  func(facts) bool
	class api.Class
	drift bool
	heal  bool
	says  func(facts) string
}

// first gives the first row that fits; the tables end with one that always does.
func first(table []row, f facts) row {
	for _, r := range table {
		if r.fits(f) {
			return r
		}
	}
	return row{
		name: "none", class: api.ClassUnknown, drift: false,
		says: func(facts) string { return "no row of the class table fits" },
	}
}

func (f facts) has(roles ...writers.Role) bool {
	return slices.ContainsFunc(f.owners, func(o Owner) bool { return slices.Contains(roles, o.Role) })
}

// only says that there are owners, and all of them have the role.
func (f facts) only(role writers.Role) bool {
	return len(f.owners) > 0 && !slices.ContainsFunc(f.owners, func(o Owner) bool { return o.Role != role })
}

func (f facts) scaledByProgram() bool {
	return slices.ContainsFunc(f.owners, func(o Owner) bool {
		return o.Subresource == "scale" && o.Role != writers.Human
	})
}

func (f facts) pointer() string { return f.difference.Pointer }

func (f facts) lastToken() string {
	tokens := keyedpath.Tokens(f.pointer())
	if len(tokens) == 0 {
		return ""
	}
	return tokens[len(tokens)-1]
}

// who names the owners with the given roles, or all recorded ones.
func (f facts) who(roles ...writers.Role) string {
	var names []string
	for _, o := range f.owners {
		if len(roles) == 0 || slices.Contains(roles, o.Role) {
			names = append(names, o.Name)
		}
	}
	return strings.Join(names, ", ")
}

// moved says whether Git has changed the path since the baseline, or dropped it
// while live still has what Git declared. A path that never agreed has none, so
// nothing is known of a change.
func (f facts) moved() bool {
	if !f.difference.Declared {
		return f.dropped
	}
	return f.difference.Declared && f.baseline != "" && f.baseline != neverAgreed &&
		f.difference.Restored != "" && f.difference.Restored != f.baseline
}

func (f facts) matchesBaseline() bool {
	return f.baseline != "" && f.difference.Live.Digest() == f.baseline
}

// newInGit: Git did not declare the path when live was judged last, or when a
// deployer applied it, and nobody claims the live value since.
func (f facts) newInGit() bool {
	if f.has(writers.Human, writers.Controller) {
		return false
	}
	return f.baselined && f.baseline == "" || f.unset && f.difference.Kind == api.Absent
}

// declaredBefore says whether anything below an absent item has a baseline.
func declaredBefore(before Baseline, d compare.Difference) bool {
	return slices.ContainsFunc(d.Leaves, func(pointer string) bool { return before.Get(pointer) != "" })
}

// declaredWhole says whether the list that holds the place was declared before
// as one value, since the schema gave it no key then. An empty list holds
// nothing.
func declaredWhole(in Input, pointer string) bool {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if !strings.HasPrefix(part, "[") {
			continue
		}
		before := in.Baseline.Get(strings.Join(parts[:i], "/"))
		if before != "" && before != in.Mask.Key.Digest([]any{}) {
			return true
		}
	}
	return false
}
