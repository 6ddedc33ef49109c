// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// Adoption is what live has, as a change of the source.
type Adoption struct {
	Application *v1alpha1.Application
	// Patch is a unified diff for git apply.
	Patch   string
	Adopted []AdoptedField
	Left    []LeftField
	// Written names the files that were changed; none if it is only a patch.
	Written []string
}

// AdoptedField is a difference that the patch settles.
type AdoptedField struct {
	Object string `json:"object"`
	Path   string `json:"path"`
	// Place in the source where the value went.
	Place string `json:"place"`
	// Follows are fields that change with it, such as a checksum.
	Follows []string `json:"follows,omitempty"`
}

// LeftField is a difference that it does not settle.
type LeftField struct {
	Object string `json:"object"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Text is the patch alone, so that it can be piped; in colour it goes to a
// person, and nothing in it reaches the terminal raw.
func (a Adoption) Text(s screen.Style) string {
	if !s.Colour {
		return a.Patch
	}
	p := screen.NewPage(s)
	for line := range strings.Lines(a.Patch) {
		line = strings.TrimSuffix(line, "\n")
		paint := screen.Plain
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
			paint = screen.Bold
		case strings.HasPrefix(line, "+"):
			paint = screen.Green
		case strings.HasPrefix(line, "-"):
			paint = screen.Red
		}
		p.Line(0, paint(line))
	}
	return p.String()
}

// Remarks say where each value went, and why others did not.
func (a Adoption) Remarks(s screen.Style) string {
	p := screen.NewPage(s)
	for _, f := range a.Adopted {
		p.Prose(0, 2, screen.Plain(fmt.Sprintf("%s %s goes to %s", f.Object, f.Path, f.Place)))
		for _, follows := range f.Follows {
			p.Prose(2, 2, screen.Yellow(follows+" follows from it: the next sync restarts what stands on it"))
		}
	}
	for _, f := range a.Left {
		p.Prose(0, 2, screen.Yellow(fmt.Sprintf("%s %s is not adopted: %s", f.Object, f.Path, f.Reason)))
	}
	switch {
	case len(a.Written) > 0:
		p.Prose(0, 2, screen.Bold("written: "+strings.Join(a.Written, ", ")+". Nothing is committed: look at git diff, then commit it."))
	case a.Patch != "":
		p.Prose(0, 2, screen.Bold("the patched source was rendered and compared: these differences are gone. Nothing is written: pipe it to git apply, or run again with --write."))
	case len(a.Left) == 0:
		p.Prose(0, 2, screen.Plain("there is no hand edit to adopt"))
	}
	return p.String()
}

// Names of the Application.
func (a Adoption) Names() []string { return []string{applicationName(a.Application)} }

// Value is the whole of it.
func (a Adoption) Value() any {
	return struct {
		Application string         `json:"application"`
		Namespace   string         `json:"namespace"`
		Adopted     []AdoptedField `json:"adopted"`
		Left        []LeftField    `json:"left"`
		Written     []string       `json:"written"`
		Patch       string         `json:"patch"`
	}{
		a.Application.Name, a.Application.Namespace, append([]AdoptedField{}, a.Adopted...),
		append([]LeftField{}, a.Left...), append([]string{}, a.Written...), a.Patch,
	}
}
