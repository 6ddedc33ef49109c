// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	entries "github.com/holdfast-gitops/holdfast/drift-controller/report"
)

// Explanation is everything that is known of some differences of one object.
type Explanation struct {
	Drift
	// Verdict of the object, from the inventory; empty if it is not in it.
	Verdict v1alpha1.Verdict
	Object  string // KIND/NAME as asked for
}

// Text is one screen: what, where, who, since when, who reads it, why, what
// happens next and what settles it.
func (x Explanation) Text(s screen.Style) string {
	p := screen.NewPage(s)
	x.header(p)
	x.state(p)
	if len(x.Entries) == 0 {
		p.Blank()
		p.Prose(0, 2, screen.Plain(x.nothing()))
	}
	for i := range x.Entries {
		p.Blank()
		x.one(p, &x.Entries[i])
	}
	return p.String()
}

func (x Explanation) nothing() string {
	if x.Verdict == v1alpha1.VerdictInSync {
		return x.Object + " is in sync: live equals Git within the declared rules."
	}
	return fmt.Sprintf("%s is %s; nothing is reported at this path.", x.Object, orDash(string(x.Verdict)))
}

const factWidth = 11

func (x Explanation) one(p *screen.Page, e *v1alpha1.DriftEntry) {
	p.Labelled(0, sideColumn, screen.Bold(fullName(e.Object)), classSpan(e))
	if e.Path != "" {
		p.Verbatim(2, screen.Plain(e.Path))
	}
	git, live := values(e.Wanted, e.Live, p.Style().Columns()-2-factWidth)
	if pair := secretPair(e.Wanted, e.Live); pair != "" {
		fact(p, "changed", screen.Yellow(pair))
	} else if e.Wanted != nil || e.Live != nil {
		fact(p, "Git", screen.Green(git))
		fact(p, "live", screen.Red(live))
	}
	fact(p, "declared", screen.Plain(orDash(e.DeclaredAt)))
	fact(p, "written by", screen.Plain(orDash(writers(e, p.Style(), x.Now))))
	fact(p, "since", screen.Plain(p.Style().Date(e.FirstSeen.Time)+", when it was first seen, "+since(e.FirstSeen.Time, x.Now)+" ago"))
	fact(p, "read by", screen.Plain(orDash(strings.TrimPrefix(readBy(e, home(x.Application)), "read by "))))
	if pods := podsLine(e); pods != "" {
		fact(p, "pods", screen.Plain(pods))
	}
	counts := "it counts as drift"
	if !e.Drift {
		counts = "it does not count as drift"
	}
	fact(p, "rule", screen.Plain(fmt.Sprintf("%s: %s; %s", e.Class, e.Explanation, counts)))
	fact(p, "next", screen.Plain(e.Next))
	x.ways(p, e)
}

// ways are the suggestion, and the other way where there is one.
func (x Explanation) ways(p *screen.Page, e *v1alpha1.DriftEntry) {
	if e.Suggestion != "" {
		p.Line(2, screen.Plain("suggestion: "), screen.Bold(string(e.SuggestionKind)))
		suggest(p, 4, e.Suggestion)
	}
	if command, ok := entries.Revert(*e); ok && e.Drift && e.SuggestionKind == v1alpha1.SuggestGitPatch {
		p.Line(2, screen.Plain("or set it back:"))
		p.Verbatim(4, screen.Plain(command))
	}
}

func fact(p *screen.Page, label string, value screen.Span) {
	text := screen.Plain(fmt.Sprintf("%-*s", factWidth, label))
	if p.Fits(2, text, value) {
		p.Line(2, text, value)
		return
	}
	p.Line(2, text)
	p.Prose(4, 2, value)
}

// Value is the entries as the controller kept them.
func (x Explanation) Value() any {
	return struct {
		Application string                `json:"application"`
		Namespace   string                `json:"namespace"`
		Object      string                `json:"object"`
		Verdict     v1alpha1.Verdict      `json:"verdict,omitempty"`
		Outcome     Outcome               `json:"outcome"`
		Entries     []v1alpha1.DriftEntry `json:"entries"`
	}{x.Application.Name, x.Application.Namespace, x.Object, x.Verdict, x.Outcome(), append([]v1alpha1.DriftEntry{}, x.Entries...)}
}
