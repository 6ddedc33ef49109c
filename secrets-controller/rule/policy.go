// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"slices"
	"strings"
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// Policy is what people decided about the rules, in force at one moment.
type Policy struct {
	severities map[string]string
	// Producers are Secrets that something outside Git makes.
	Producers  []secretsv1.ExternalProducer
	exceptions []secretsv1.Exception
	waivers    map[string]bool
	// rotated are fingerprints whose value was replaced, as people say.
	rotated map[string]bool
	// NextEnd is when the first of its entries ends; zero when none does. A
	// verdict that leans on the policy has to be formed again then.
	NextEnd time.Time
}

// off is the severity word of a policy that switches a rule off.
const off = "Off"

// strictness orders severities, for two policies that disagree.
var strictness = map[string]int{
	off:                             0,
	string(secretsv1.SeverityInfo):  1,
	"Warning":                       2,
	string(secretsv1.SeverityError): 3,
}

// NewPolicy joins all SecretPolicies. Entries past their end are left out.
// Where two policies give one rule different severities the stricter wins: a
// policy must not be loosened by another one that its author does not know.
func NewPolicy(policies []secretsv1.SecretPolicy, now time.Time) Policy {
	policies = slices.SortedFunc(slices.Values(policies), func(a, b secretsv1.SecretPolicy) int {
		return cmp.Compare(a.Name, b.Name)
	})
	out := Policy{severities: map[string]string{}, waivers: map[string]bool{}, rotated: map[string]bool{}}
	for _, policy := range policies {
		out.stricter(policy.Spec.Severities)
		out.add(policy.Spec, now)
	}
	return out
}

func (p *Policy) stricter(severities []secretsv1.RuleSeverity) {
	for _, s := range severities {
		set, given := p.severities[s.Rule]
		if !given || strictness[s.Severity] > strictness[set] {
			p.severities[s.Rule] = s.Severity
		}
	}
}

func (p *Policy) add(spec secretsv1.SecretPolicySpec, now time.Time) {
	for _, producer := range spec.Producers {
		if p.inForce(producer.Accountability, now) {
			p.Producers = append(p.Producers, producer)
		}
	}
	for _, exception := range spec.Exceptions {
		if p.inForce(exception.Accountability, now) {
			p.exceptions = append(p.exceptions, exception)
		}
	}
	for _, waiver := range spec.Waivers {
		if p.inForce(waiver.Accountability, now) {
			p.waivers[waiver.Fingerprint] = true
			if waiver.Rotated {
				p.rotated[waiver.Fingerprint] = true
			}
		}
	}
}

func (p *Policy) inForce(a secretsv1.Accountability, now time.Time) bool {
	if a.Until == nil {
		return true
	}
	if !now.Before(a.Until.Time) {
		return false
	}
	if p.NextEnd.IsZero() || a.Until.Time.Before(p.NextEnd) {
		p.NextEnd = a.Until.Time
	}
	return true
}

// Asks says whether a policy names the rule at all.
func (p Policy) Asks(id string) bool {
	_, asked := p.severities[id]
	return asked
}

// severity is the override for a rule, and whether it is switched off.
func (p Policy) severity(rule Rule) (secretsv1.Severity, bool) {
	word := p.severities[rule.ID]
	if word == off {
		return "", true
	}
	return secretsv1.Severity(word), false
}

// Rotated says whether somebody acknowledged that the value of a finding was
// replaced.
func (p Policy) Rotated(f finding.Finding) bool { return p.rotated[f.Fingerprint()] }

// silences says whether an exception or a waiver covers a finding.
func (p Policy) silences(f finding.Finding) bool {
	if p.waivers[f.Fingerprint()] {
		return true
	}
	return slices.ContainsFunc(p.exceptions, func(e secretsv1.Exception) bool {
		return e.Rule == f.Rule &&
			(e.Kind == "" || e.Kind == f.Object.Kind) &&
			(e.Namespace == "" || e.Namespace == f.Object.Namespace) &&
			(e.Name == "" || matchesName(e.Name, f.Object.Name))
	})
}

// matchesName compares with a name whose trailing * stands for any text.
func matchesName(pattern, name string) bool {
	if prefix, wild := strings.CutSuffix(pattern, "*"); wild {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
