// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// Rule is one check.
type Rule struct {
	// ID as in the catalogue of the documentation and in SecretPolicy.
	ID string
	// Severity and Gate of its findings, unless the check sets another one.
	Severity secretsv1.Severity
	Gate     secretsv1.FindingGate
	// Explanation says what is wrong and why it matters; Remedy what to do.
	Explanation string
	Remedy      string
	// Source is where the fault was met, or where the behaviour is documented.
	Source string
	// Optional rules express a policy: they are off until a SecretPolicy gives
	// them a severity.
	Optional bool
	// Check gives the places where the rule applies. Rule, severity, gate and
	// remedy are filled in by Run where the check leaves them empty.
	Check func(Input) []finding.Finding
}

// Result is the outcome of all rules over one input.
type Result struct {
	Findings []finding.Finding
	// Unread are reasons why readiness could not be judged in full.
	Unread []string
	// UnreadSource are reasons why the files in Git could not be looked at, or
	// not all of them, which leaves the declaration undecided.
	UnreadSource []string
}

// Run runs the whole catalogue.
func Run(in Input) Result {
	rules := make([]Rule, 0, len(Catalogue))
	for _, rule := range Catalogue {
		if !rule.Optional || in.Policy.Asks(rule.ID) {
			rules = append(rules, rule)
		}
	}
	return RunOnly(in, rules)
}

// RunOnly runs some rules of the catalogue, for a caller that asks for them
// by name.
func RunOnly(in Input, rules []Rule) Result {
	in.index = newIndex(in)
	result := Result{Unread: in.unread(), UnreadSource: in.unreadSource()}
	for _, rule := range rules {
		severity, off := in.Policy.severity(rule)
		if off {
			continue
		}
		for _, f := range rule.Check(in) {
			f = rule.stamp(f, severity)
			if !in.Policy.silences(f) {
				result.Findings = append(result.Findings, f)
			}
		}
	}
	finding.Sort(result.Findings)
	return result
}

// stamp completes a finding. A policy may make a rule milder or stricter, but
// it cannot turn what is unknown into something known.
func (r Rule) stamp(f finding.Finding, override secretsv1.Severity) finding.Finding {
	f.Rule = r.ID
	if f.Gate == "" {
		f.Gate = r.Gate
	}
	if f.Remedy == "" {
		f.Remedy = r.Remedy
	}
	switch {
	case f.Severity == secretsv1.SeverityUnknown:
	case override != "":
		f.Severity = override
	case f.Severity == "":
		f.Severity = r.Severity
	}
	return f
}
