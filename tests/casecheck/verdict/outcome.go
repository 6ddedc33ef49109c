// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

// Line is one difference as the product judged it.
type Line struct {
	api.DriftEntry
	// Indexed is the path with list items by position.
	Indexed string
	// Declared says whether Git declares the place.
	Declared bool
	// Heal says whether self-heal may change it.
	Heal bool
	// Forms are the wanted value in Git's words and as the server stores it.
	// The report shows one of them, and either is right.
	Forms []any
	// Listed says whether the report shows it; defaults are judged, not shown.
	Listed bool
}

// ID is the object of the line.
func (l Line) ID() manifest.ID {
	o := l.Object
	return manifest.ID{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

// actionable lines are what the expectation's drift has to list.
func (l Line) actionable() bool {
	return l.Drift || l.Class == api.ClassStray || l.Class == api.ClassUnknown
}

func (l Line) String() string {
	return fmt.Sprintf("%s %s%s", l.Class, l.ID(), at(l.Indexed))
}

func at(path string) string {
	if path == "" {
		return ""
	}
	return " " + path
}

// Outcome is what a run gave.
type Outcome struct {
	Lines []Line
	// Text is everything that would leave: the report and the messages.
	Text string
	// Key is the key of the digests that stand for masked values.
	Key mask.Key
	// Unknown objects were not judged, with the reason each.
	Unknown map[manifest.ID]string
	// Deleted is what the plan of the stage that prunes deletes, if everything
	// is approved that can be.
	Deleted []manifest.ID
}

// Report is what is published of it.
func (o Outcome) Report() []api.DriftEntry {
	var entries []api.DriftEntry
	for _, l := range o.Lines {
		if l.Listed {
			entries = append(entries, l.DriftEntry)
		}
	}
	return entries
}

// Problem is one thing that is not right.
type Problem struct {
	Got, Want string
}

func (p Problem) String() string {
	return fmt.Sprintf("got %s want %s", p.Got, p.Want)
}
