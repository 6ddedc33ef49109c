// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/compare"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// What Judgement.Rule is where no rule of the Application hides a difference.
const (
	// NoRule hides it.
	NoRule = -1
	// OwnRule: a rule of the object's own annotation does.
	OwnRule = -2
)

// Hidden says whether an ignore rule hides the difference. A later write has to
// leave the live value there.
func (j Judgement) Hidden() bool { return j.Rule != NoRule }

// IgnoreRule is a compiled rule.
type IgnoreRule struct {
	api.IgnoreRule
	values []*regexp.Regexp
}

// CompileIgnore compiles the rules of an Application, in order. An error names
// the rule and says what is wrong with it.
func CompileIgnore(rules []api.IgnoreRule) ([]IgnoreRule, error) {
	compiled := make([]IgnoreRule, 0, len(rules))
	for i, rule := range rules {
		c, err := compileRule(rule)
		if err != nil {
			return nil, fmt.Errorf("spec.ignore[%d]%w", i, err)
		}
		compiled = append(compiled, c)
	}
	return compiled, nil
}

// whole are the fields that hold all that an object says.
var whole = []string{
	"/spec", "/data", "/metadata", "/stringData", "/binaryData", "/rules", "/webhooks", "/subjects", "/status",
	"/parameters", "/endpoints", "/subsets", "/roleRef",
}

func compileRule(rule api.IgnoreRule) (IgnoreRule, error) {
	c := IgnoreRule{IgnoreRule: rule}
	for i, path := range rule.Paths {
		switch {
		case slices.Contains(whole, strings.TrimRight(path, "/")):
			return c, fmt.Errorf(".paths[%d]: %s covers a whole object: name the field", i, path)
		case !strings.HasPrefix(path, "/"), slices.Contains(keyedpath.Tokens(path), ""):
			return c, fmt.Errorf(".paths[%d]: %q is no JSON pointer below the object: write one like /spec/replicas", i, path)
		}
	}
	for i, text := range rule.Values {
		expression, err := regexp.Compile(text)
		if err != nil {
			return c, fmt.Errorf(".values[%d]: %w", i, err)
		}
		expression.Longest() // of "a|ab" the whole value may be the longer one
		c.values = append(c.values, expression)
	}
	return c, nil
}

// Expired says whether the rule's end has passed.
func (r IgnoreRule) Expired(now time.Time) bool {
	return r.Until != nil && now.After(r.Until.Time)
}

// inForce is a rule that is about one object.
type inForce struct {
	IgnoreRule
	place int // its position in the Application, or OwnRule
	ended bool
}

// RuleRefusal is a rule that is not obeyed for an object, and why.
type RuleRefusal struct {
	Rule int
	Why  string
}

// rulesFor gives the rules that are about the object. One that leaves nothing of
// it to be judged is refused: it would turn the object off, not a difference.
func rulesFor(in Input, declared map[string]string) (force []inForce, refused []RuleRefusal) {
	add := func(r IgnoreRule, place int) {
		if path := coversAll(r.Paths, declared); path != "" {
			refused = append(refused, RuleRefusal{place, fmt.Sprintf("refused: it covers all of %s, by %s: name the fields", in.Observation.ID, path)})
			return
		}
		force = append(force, inForce{r, place, r.Expired(in.Now)})
	}
	for i, r := range in.Ignore {
		if r.targets(in.Observation.ID) {
			add(r, i)
		}
	}
	own, why := ownRules(in)
	if why != "" {
		refused = append(refused, RuleRefusal{OwnRule, why})
	}
	for _, r := range own {
		add(r, OwnRule)
	}
	return force, refused
}

// coversAll names the widest path if the paths leave nothing of what is declared
// outside of metadata. A rule that names each field by itself knows what it does.
func coversAll(paths []string, declared map[string]string) string {
	widest := ""
	for pointer := range declared {
		if keyedpath.Within(pointer, "/metadata") || pointer == "/apiVersion" || pointer == "/kind" {
			continue
		}
		i := slices.IndexFunc(paths, func(p string) bool { return keyedpath.Within(pointer, p) })
		if i < 0 {
			return ""
		}
		if paths[i] != pointer && (widest == "" || paths[i] < widest) {
			widest = paths[i]
		}
	}
	return widest
}

// hiding finds the first rule that hides a difference, or would if it had not
// ended.
func hiding(force []inForce, ended bool, d compare.Difference, owners []Owner) (inForce, bool) {
	i := slices.IndexFunc(force, func(r inForce) bool {
		return r.ended == ended && r.names(d.Pointer) && r.allows(d, owners)
	})
	if i < 0 {
		return inForce{}, false
	}
	return force[i], true
}

// hide lets the rules act on a judgement: on what counts, and on what could not
// be told.
func hide(force []inForce, j Judgement) Judgement {
	if !j.Drift && j.Class != api.ClassUnknown {
		return j
	}
	if r, found := hiding(force, false, j.Difference, j.Owners); found {
		j.Drift, j.Heal, j.Rule, j.Explanation = false, false, r.place, "ignored: "+r.Reason
		if r.place == OwnRule {
			j.Explanation = "ignored, by the object's own annotation: " + r.Reason
		}
		return j
	}
	_, j.Ended = hiding(force, true, j.Difference, j.Owners)
	return j
}

// hidesDoubt: of a doubt neither the writer nor the value is known, so only a
// rule by path alone can hide it.
func hidesDoubt(force []inForce, d compare.Doubt) bool {
	return d.Pointer != "" && slices.ContainsFunc(force, func(r inForce) bool {
		return !r.ended && len(r.Managers) == 0 && len(r.values) == 0 && r.names(d.Pointer)
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
