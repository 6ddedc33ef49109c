// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

var ansi = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Colours change nothing but colours, and nothing of the cluster colours.
func TestColours(t *testing.T) {
	each(t, "drift", func(t *testing.T, in input, _ string) {
		t.Helper()
		d := NewDrift(&in.apps[0], in.pages, noon)
		coloured := d.Text(screen.Style{Colour: true})
		if diff := cmp.Diff(d.Text(screen.Style{}), ansi.ReplaceAllString(coloured, "")); diff != "" {
			t.Errorf("text without its colours (-plain +stripped):\n%s", diff)
		}
		if !strings.Contains(coloured, "\x1b[") {
			t.Error("nothing is coloured")
		}
	})
}

// Whatever a cluster holds, in whichever field, only line ends of our own
// reach the terminal.
func TestNothingMovesTheCursor(t *testing.T) {
	const evil = "a\x1b[2Jb\u202ec\td\u009be"
	in := read(t, "testdata/drift/incident.in.yaml")
	app := in.apps[0]
	app.Name, app.Namespace = evil, evil
	app.Status.Stage.HeldBy, app.Status.Compared.Revision = evil, evil
	app.Status.Notes = []string{evil}
	for i := range app.Status.Conditions {
		app.Status.Conditions[i].Message, app.Status.Conditions[i].Status = evil, "False"
	}
	for p := range in.pages {
		for i := range in.pages[p].Status.Entries {
			e := &in.pages[p].Status.Entries[i]
			e.Object.Name, e.Path, e.Explanation, e.DeclaredAt, e.Next, e.Suggestion = evil, "/"+evil, evil, evil, evil, evil
			for m := range e.Managers {
				e.Managers[m].Name, e.Managers[m].Subresource = evil, evil
			}
			for c := range e.Consumers {
				e.Consumers[c].Name, e.Consumers[c].How = evil, "env"+evil
			}
			e.Live = &v1alpha1.Value{JSON: evil}
		}
	}
	d := NewDrift(&app, in.pages, noon)
	d.Explained = true
	fleet := NewFleet(in.apps, noon)
	fleet.Applications[0] = &app
	texts := []string{d.Text(screen.Style{}), fleet.Text(screen.Style{}), NewPreview(&app, evil, d.Entries, []string{evil}).Text(screen.Style{})}
	for _, text := range texts {
		for _, r := range strings.ReplaceAll(text, "\n", "") {
			if !screen.Printable(string(r)) {
				t.Errorf("rune %U reaches the terminal in:\n%s", r, text)
				break
			}
		}
	}
}
