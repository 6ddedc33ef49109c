// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// IgnoreRule is a compiled rule of an Application.
type IgnoreRule struct {
	api.IgnoreRule
	values []*regexp.Regexp
}

// CompileIgnore compiles the rules, in order. An error names the rule and says
// what is wrong with it.
func CompileIgnore(rules []api.IgnoreRule) ([]IgnoreRule, error) {
	compiled := make([]IgnoreRule, 0, len(rules))
	for i, rule := range rules {
		c := IgnoreRule{IgnoreRule: rule}
		for _, text := range rule.Values {
			expression, err := regexp.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("spec.ignore[%d].values: %w", i, err)
			}
			expression.Longest() // of "a|ab" the whole value may be the longer one
			c.values = append(c.values, expression)
		}
		compiled = append(compiled, c)
	}
	return compiled, nil
}

// Expired says whether the rule's end has passed.
func (r IgnoreRule) Expired(now time.Time) bool {
	return r.Until != nil && now.After(r.Until.Time)
}

// ignored finds the first rule that hides the difference, or -1.
func ignored(in Input, d compare.Difference, owners []Owner) int {
	return slices.IndexFunc(in.Ignore, func(r IgnoreRule) bool {
		return !r.Expired(in.Now) && r.targets(in.Observation.ID) && r.names(d.Pointer) && r.allows(d, owners)
	})
}

func (r IgnoreRule) targets(id manifest.ID) bool {
	t := r.Target
	return t.Kind == id.Kind && (t.Group == nil || *t.Group == id.Group) &&
		(t.Namespace == "" || t.Namespace == id.Namespace) && (t.Name == "" || desired.Matches(t.Name, id.Name))
}

func (r IgnoreRule) names(pointer string) bool {
	return slices.ContainsFunc(r.Paths, func(path string) bool { return keyedpath.Within(pointer, path) })
}

// allows: a rule by manager holds only while such a manager is among the
// owners; a rule by value only while the whole live value matches.
func (r IgnoreRule) allows(d compare.Difference, owners []Owner) bool {
	if len(r.Managers) > 0 && !slices.ContainsFunc(owners, func(o Owner) bool { return slices.Contains(r.Managers, o.Name) }) {
		return false
	}
	return len(r.values) == 0 || d.Live.MatchesAny(r.values)
}
