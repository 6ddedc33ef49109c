// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// ownRule is a rule as an object carries it: an IgnoreRule whose target is the
// object itself.
type ownRule struct {
	Paths    []string     `json:"paths"`
	Managers []string     `json:"managers,omitempty"`
	Values   []string     `json:"values,omitempty"`
	Reason   string       `json:"reason"`
	Until    *metav1.Time `json:"until,omitempty"`
}

// The bounds that the schema sets on rules of an Application.
const (
	mostOwnRules = 16
	mostPaths    = 32
	longestRules = 16 << 10
)

// ownRules reads the rules that Git puts on an object. What stands on the live
// object alone is nobody's rule: a hand that edits a field must not be able to
// hide it. why says that the annotation is there and not obeyed.
func ownRules(in Input) (rules []IgnoreRule, why string) {
	text, carries := in.Desired.GetAnnotations()[contract.IgnoreAnnotation]
	switch {
	case !carries:
		return nil, ""
	case !in.OwnRules:
		return nil, "refused: the Project does not allow it (spec.allowIgnoreAnnotations), so the rule hides nothing"
	case len(text) > longestRules:
		return nil, fmt.Sprintf("refused: it has %d bytes, the most are %d", len(text), longestRules)
	}
	var own []ownRule
	if err := yaml.UnmarshalStrict([]byte(text), &own); err != nil {
		return nil, "refused: it is no list of rules with paths, managers, values, reason and until"
	}
	if len(own) > mostOwnRules {
		return nil, fmt.Sprintf("refused: it has %d rules, the most are %d", len(own), mostOwnRules)
	}
	for i, o := range own {
		switch {
		case len(o.Paths) == 0 || len(o.Paths) > mostPaths:
			return nil, fmt.Sprintf("refused: rule %d has %d paths: write 1 to %d", i, len(o.Paths), mostPaths)
		case o.Reason == "":
			return nil, fmt.Sprintf("refused: rule %d has no reason", i)
		}
		c, err := compileRule(api.IgnoreRule{Paths: o.Paths, Managers: o.Managers, Values: o.Values, Reason: o.Reason, Until: o.Until})
		if err != nil {
			return nil, fmt.Sprintf("refused: rule %d%v", i, err)
		}
		rules = append(rules, c)
	}
	return rules, ""
}

// Own is what an object's own rules do.
type Own struct {
	Carried bool
	Refused bool
	// Ends is when the first of them does that has not yet.
	Ends time.Time
}

func ownOf(in Input, force []inForce, refused []RuleRefusal) Own {
	_, carried := in.Desired.GetAnnotations()[contract.IgnoreAnnotation]
	own := Own{Carried: carried}
	for _, r := range refused {
		own.Refused = own.Refused || r.Rule == OwnRule
	}
	for _, r := range force {
		if r.place == OwnRule && r.Until != nil && !r.ended && (own.Ends.IsZero() || r.Until.Time.Before(own.Ends)) {
			own.Ends = r.Until.Time
		}
	}
	return own
}
