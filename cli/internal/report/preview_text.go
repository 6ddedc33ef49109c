// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// Text is the screen of holdfast diff.
func (v Preview) Text(s screen.Style) string {
	p := screen.NewPage(s)
	var object v1alpha1.ObjectReference
	for i := range v.Entries {
		e := &v.Entries[i]
		if effectOf(e) == none {
			continue
		}
		if e.Object != object {
			object = e.Object
			p.Line(0, screen.Bold(fullName(object)))
		}
		v.entry(p, e)
	}
	for _, note := range v.Notes {
		p.Prose(0, 2, screen.Dim("note: "+note))
	}
	v.summary(p)
	return p.String()
}

func fullName(o v1alpha1.ObjectReference) string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

func (v Preview) entry(p *screen.Page, e *v1alpha1.DriftEntry) {
	switch effectOf(e) {
	case create:
		p.Line(0, screen.Green("+  created"+from(e.DeclaredAt)))
		return
	case remove:
		p.Line(0, screen.Red("-  deleted: in the inventory, and not in "+v.Against))
		return
	case undecided:
		p.Prose(0, 3, screen.Yellow("?  not judged: "+e.Explanation))
		return
	case none, change, overwrite, stays:
	}
	v.field(p, e)
}

// field prints live and Git's side of one field.
func (v Preview) field(p *screen.Page, e *v1alpha1.DriftEntry) {
	name := nameOfField(e)
	git, live := values(e.Wanted, e.Live, p.Style().Columns()-3-screen.Width(name)-2)
	if pair := secretPair(e.Wanted, e.Live); pair != "" {
		git, live, _ = strings.Cut(pair, " → ")
	}
	if e.Live != nil {
		v.side(p, screen.Red("-  "+name+": "+live), liveRemark(e))
	} else if remark := liveRemark(e); remark != "" {
		p.Prose(3, 2, screen.Dim("# "+remark))
	}
	if e.Wanted != nil {
		v.side(p, screen.Green("+  "+name+": "+git), e.DeclaredAt)
	}
}

// side writes one side with its remark behind it, or above it where both are
// too wide.
func (v Preview) side(p *screen.Page, text screen.Span, remark string) {
	if remark == "" {
		p.Line(0, text)
		return
	}
	gap, behind := screen.Plain("     "), screen.Dim("# "+remark)
	if p.Fits(0, text, gap, behind) {
		p.Line(0, text, gap, behind)
		return
	}
	p.Prose(3, 2, behind)
	p.Line(0, text)
}

// nameOfField is the key alone for the data of a ConfigMap or Secret, where the
// pointer says no more, and the pointer elsewhere.
func nameOfField(e *v1alpha1.DriftEntry) string {
	tokens := keyedpath.Tokens(e.Path)
	if len(tokens) == 2 && slices.Contains([]string{"data", "stringData", "binaryData"}, tokens[0]) {
		return tokens[1]
	}
	return e.Path
}

func from(place string) string {
	if place == "" {
		return ""
	}
	return " from " + place
}

// liveRemark says whose value would go, or why it stays.
func liveRemark(e *v1alpha1.DriftEntry) string {
	who := managerNames(e)
	switch {
	case effectOf(e) == overwrite && e.Kind == v1alpha1.Absent:
		return "live lacks it: this commit would restore what was removed by hand"
	case effectOf(e) == overwrite && who == unknownWriter:
		return "live, nobody is recorded as its writer: this commit would overwrite a hand edit"
	case effectOf(e) == overwrite:
		return "live, written by " + who + ": this commit would overwrite a hand edit"
	case effectOf(e) == change && len(e.Managers) == 0:
		return ""
	case effectOf(e) == change:
		return "live, written by " + who
	case e.Class == v1alpha1.ClassManual:
		return "live, written by " + who + ": not declared, a sync leaves it and self-heal would remove it"
	default:
		return "live: " + e.Explanation + "; Holdfast leaves it"
	}
}

func (v Preview) summary(p *screen.Page) {
	if v.Outcome() == InSync {
		p.Line(0, screen.Green(v.sentence()))
		return
	}
	p.Prose(0, 2, screen.Bold(v.sentence()))
}

// sentence is the preview in one.
func (v Preview) sentence() string {
	n := v.tally()
	if v.Outcome() == InSync {
		return "live equals " + v.Against + " within the declared rules: nothing would change"
	}
	text := fmt.Sprintf("%s would change, %s would be overwritten, %s would be deleted",
		plural(n.changed, "object"), plural(n.edits, "hand edit"), plural(n.deleted, "object"))
	if n.created > 0 {
		text += ", " + plural(n.created, "object") + " would be created"
	}
	if n.left > 0 {
		text += ", " + plural(n.left, "object") + " would go on to differ"
	}
	if n.undecided > 0 {
		text += ", " + plural(n.undecided, "object") + " could not be judged"
	}
	if v.stale != "" {
		text += "; no verdict holds now: " + v.stale
	}
	return text
}
