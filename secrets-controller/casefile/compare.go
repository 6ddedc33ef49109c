// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"fmt"
	"slices"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// Missing lists the rules under test that the catalogue lacks. Ids that say
// "this must pass" (traps and their like) are no rules.
func (c Case) Missing() []string {
	var missing []string
	for _, id := range c.Expect.Rules {
		if !known(id) && !c.covered(id) {
			missing = append(missing, id)
		}
	}
	return missing
}

// verdictsOfPass are rows of the catalogue whose right answer is silence.
var verdictsOfPass = []string{
	"ingress-tls-shim", "ingress-tls-default", "operator-produced", "sealed-ok", "sops-ok", "sops-json-dotenv",
	"consumer-via-merge", "duration-normalised", "owner-not-pruned", "empty-secret-shell", "plain-secret-any-order",
}

// covered says whether a rule that does not exist is no gap in this case: it
// asks for silence, or a rule that exists may stand in wherever it is expected.
func (c Case) covered(id string) bool {
	if strings.HasPrefix(id, "fp-") || slices.Contains(verdictsOfPass, id) {
		return true
	}
	named := false
	for _, want := range c.Expect.Findings {
		if want.Rule == id {
			named = true
			if !slices.ContainsFunc(want.Or, known) {
				return false
			}
		}
	}
	return named || slices.ContainsFunc(c.Expect.Findings, func(want Finding) bool {
		return known(want.Rule) && slices.Contains(want.Or, id)
	})
}

func known(id string) bool {
	_, ok := rule.ByID(id)
	return ok
}

// Compare says what is wrong with the findings of a case.
func (c Case) Compare(got []finding.Finding) []string {
	m := matcher{expect: c.Expect, taken: make([]bool, len(got)), got: got}
	for _, want := range c.Expect.Findings {
		m.wantFinding(want)
	}
	for _, want := range c.Expect.Unknown {
		m.wantUnknown(want)
	}
	m.noneBeside()
	m.problems = append(m.problems, c.leaks(got)...)
	return m.problems
}

// matcher pairs expected findings with those that came.
type matcher struct {
	expect   Expect
	got      []finding.Finding
	taken    []bool
	problems []string
}

func (m *matcher) wantFinding(want Finding) {
	var near []string
	for i, f := range m.got {
		if m.taken[i] || f.Severity == secretsv1.SeverityUnknown || !sameRule(want, f.Rule) || objectOf(f) != want.Object {
			continue
		}
		if why := mismatch(want, f); why != "" {
			near = append(near, why)
			continue
		}
		m.taken[i] = true
		return
	}
	if want.Optional {
		return
	}
	m.problems = append(m.problems, fmt.Sprintf("want %s %s on %s %s, got none%s",
		want.Severity, want.Rule, want.Object, want.Path, because(near)))
}

func (m *matcher) wantUnknown(want Finding) {
	var near []string
	for _, f := range m.got {
		if f.Severity != secretsv1.SeverityUnknown || !sameRule(want, f.Rule) || objectOf(f) != want.Object {
			continue
		}
		if why := mismatch(want, f); why != "" {
			near = append(near, why)
			continue
		}
		return
	}
	m.problems = append(m.problems, fmt.Sprintf("want unknown %s on %s %s, got none%s",
		want.Rule, want.Object, want.Path, because(near)))
}

// noneBeside applies what is complete in an expectation: errors of all rules,
// warnings and infos of the rules under test, and any warning at all in a case
// that must stay silent.
func (m *matcher) noneBeside() {
	silent := len(m.expect.Findings) == 0
	for i, f := range m.got {
		if m.taken[i] {
			continue
		}
		underTest := slices.Contains(m.expect.Rules, f.Rule)
		unexpected := false
		switch f.Severity {
		case secretsv1.SeverityError:
			unexpected = true
		case secretsv1.SeverityWarning:
			unexpected = underTest || silent
		case secretsv1.SeverityInfo:
			unexpected = underTest && !silent
		case secretsv1.SeverityUnknown:
			// More unknowns than the listed ones are tolerated.
		}
		if unexpected {
			m.problems = append(m.problems, fmt.Sprintf("got %s %s on %s %s, which is not expected: %s",
				f.Severity, f.Rule, objectOf(f), f.Path, f.Message))
		}
	}
}

func sameRule(want Finding, id string) bool {
	return want.Rule == id || slices.Contains(want.Or, id)
}

func mismatch(want Finding, f finding.Finding) string {
	if want.Severity != "" && want.Severity != string(f.Severity) {
		return fmt.Sprintf("severity %s", f.Severity)
	}
	gate := secretsv1.GateDeclaration
	if want.Gate == "readiness" {
		gate = secretsv1.GateReadiness
	}
	if want.Severity != "" && f.Gate != gate {
		return fmt.Sprintf("gate %s", f.Gate)
	}
	if !leadsTo(f.Path, want.Path) {
		return fmt.Sprintf("path %q", f.Path)
	}
	for _, word := range want.Mention {
		if !strings.Contains(strings.ToLower(f.Message), strings.ToLower(word)) {
			return fmt.Sprintf("the message does not mention %q: %s", word, f.Message)
		}
	}
	if want.Source != "" && !strings.Contains(f.Message, want.Source) {
		return fmt.Sprintf("the message does not name %s: %s", want.Source, f.Message)
	}
	return ""
}

// leadsTo says whether a path is the wanted one or an ancestor of it. A wanted
// path of the form file:line belongs to rules over source files.
func leadsTo(path, want string) bool {
	return path == want || want == "" || strings.HasPrefix(want, path+"/") || path == ""
}

func objectOf(f finding.Finding) string {
	return f.Object.APIVersion + " " + f.Object.Kind + " " + finding.Name(f.Object)
}

func because(near []string) string {
	if len(near) == 0 {
		return ""
	}
	return " (one came with " + strings.Join(near, "; one with ") + ")"
}
