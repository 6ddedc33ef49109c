// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// Columns of an entry: objects at 2, paths at 4, values at 6 behind a label.
const (
	objectIndent = 2
	pathIndent   = 4
	valueIndent  = 6
	labelWidth   = 7
	// sideColumn is where the class and the origin of a value stand.
	sideColumn = 60
)

// object prints the line that an object's entries stand below. Where the
// object as a whole is the entry, its class stands beside it.
func (d Drift) object(p *screen.Page, e *v1alpha1.DriftEntry) {
	name := screen.Bold(objectName(e.Object, home(d.Application)))
	if e.Path != "" || e.Wanted != nil || e.Live != nil {
		p.Line(objectIndent, name)
		return
	}
	p.Labelled(objectIndent, sideColumn, name, classSpan(e))
}

// entry prints one difference of a field: path, class, both sides.
func (d Drift) entry(p *screen.Page, e *v1alpha1.DriftEntry) {
	path := cmp.Or(e.Path, "(whole object)")
	p.Labelled(pathIndent, sideColumn, screen.Plain(path), classSpan(e))
	from := screen.Dim(e.DeclaredAt)
	by := screen.Dim(writers(e, p.Style(), d.Now))
	if pair := secretPair(e.Wanted, e.Live); pair != "" {
		p.Line(valueIndent, screen.Plain("Git → live  "), screen.Yellow(pair))
		p.Verbatim(valueIndent+labelWidth, from)
		p.Verbatim(valueIndent+labelWidth, by)
		return
	}
	git, live := values(e.Wanted, e.Live, p.Style().Columns()-valueIndent-labelWidth)
	side := screen.Side{Indent: valueIndent, Hang: labelWidth, Column: sideColumn}
	side.Label, side.Value, side.Remark = label("Git"), screen.Green(git), from
	p.Beside(side)
	side.Label, side.Value, side.Remark = label("live"), screen.Red(live), by
	p.Beside(side)
}

func label(word string) screen.Span { return screen.Plain(fmt.Sprintf("%-*s", labelWidth, word)) }

// wholeObject says in words what is wrong with an object as such.
func (d Drift) wholeObject(p *screen.Page, e *v1alpha1.DriftEntry) {
	switch e.Class {
	case v1alpha1.ClassMissing:
		p.Prose(valueIndent, 2, screen.Plain("declared"+in(e.DeclaredAt)+", not in the cluster"))
		if e.Explanation != "declared, not in the cluster" {
			p.Prose(valueIndent, 2, screen.Dim(e.Explanation))
		}
	case v1alpha1.ClassUnknown:
		if e.DeclaredAt != "" {
			p.Prose(valueIndent, 2, screen.Dim("declared"+in(e.DeclaredAt)))
		}
		p.Prose(valueIndent, 2, screen.Plain("not judged: "+cmp.Or(e.Explanation, "the drift-controller gave no reason")))
	case v1alpha1.ClassRemoved:
		p.Prose(valueIndent, 2, screen.Plain(cmp.Or(e.Explanation, "in the inventory, no longer declared in Git")))
	default:
		p.Prose(valueIndent, 2, screen.Plain(e.Explanation))
	}
}

func in(place string) string {
	if place == "" {
		return ""
	}
	return " in " + place
}

// classSpan is the class with what an edit did, where that is not "changed".
func classSpan(e *v1alpha1.DriftEntry) screen.Span {
	text := string(e.Class)
	if e.Path != "" && e.Class != v1alpha1.ClassUnknown {
		switch {
		case e.Kind == v1alpha1.Added && e.Class == v1alpha1.ClassManual:
			text += ", added by hand"
		case e.Kind == v1alpha1.Absent && e.Class == v1alpha1.ClassManual:
			text += ", removed by hand"
		case e.Kind == v1alpha1.Added || e.Kind == v1alpha1.Absent:
			text += ", " + strings.ToLower(string(e.Kind))
		}
	}
	if !e.Drift {
		return screen.Dim(text)
	}
	return screen.Yellow(text)
}

// consequences says why, what reads the value, and what happens next. A next
// that the entry above has said already is not said again.
func (d Drift) consequences(p *screen.Page, e *v1alpha1.DriftEntry, nextSaid bool) {
	if e.Path != "" && !obvious(e) {
		p.Prose(valueIndent, 2, screen.Dim(e.Explanation))
	}
	p.Prose(valueIndent, 2, screen.Plain(readBy(e, home(d.Application))))
	p.Prose(valueIndent, 2, screen.Plain(podsLine(e)))
	d.next(p, e, nextSaid)
}

// next says what happens at the present stage, and what would settle it.
func (d Drift) next(p *screen.Page, e *v1alpha1.DriftEntry, said bool) {
	next := e.Next
	// What does not count says in its next what its explanation has said.
	if said || (!e.Drift && e.Explanation != "" && strings.Contains(next, e.Explanation)) {
		next = ""
	}
	if next != "" && !strings.HasSuffix(next, ".") {
		next += "."
	}
	if p.Fits(valueIndent, screen.Plain(next+"  "+e.Suggestion)) && !strings.Contains(e.Suggestion, "\n") {
		p.Verbatim(valueIndent, screen.Plain(strings.TrimSpace(next+"  "+e.Suggestion)))
		return
	}
	p.Prose(valueIndent, 2, screen.Plain(next))
	suggest(p, valueIndent, e.Suggestion)
}

// suggest prints a suggestion so that it can be copied: commands and YAML stay
// on their lines.
func suggest(p *screen.Page, indent int, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if command(line) || yamlLine(line) {
			p.Verbatim(indent, screen.Plain(line))
			continue
		}
		p.Prose(indent, 2, screen.Plain(line))
	}
}

// yamlLine: a line of a rule, whose indentation means something.
func yamlLine(text string) bool {
	return strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "  ")
}

// command: a line that is to be copied, which must not be broken.
func command(text string) bool {
	return strings.Contains(text, "holdfast ") || strings.Contains(text, "kubectl ")
}

// obvious explanations repeat what the class and the writer on the lines above
// say already: that somebody's tool wrote what it is known to have written. So
// do those that the next step repeats.
func obvious(e *v1alpha1.DriftEntry) bool {
	if strings.Contains(e.Next, e.Explanation) && e.Drift {
		return true
	}
	return e.Class == v1alpha1.ClassManual && e.Drift && len(e.Managers) > 0 && strings.Contains(e.Explanation, e.Managers[0].Name)
}
