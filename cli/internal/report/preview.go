// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"time"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Preview is what a revision or a working tree would change in the cluster.
type Preview struct {
	Application *v1alpha1.Application
	// Against names what was rendered: a folder or a revision.
	Against string
	// Entries as the drift-controller would report them for that render.
	Entries []v1alpha1.DriftEntry
	// Notes of the render and of the observation.
	Notes []string
	// stale says why a published verdict does not hold any more.
	stale string
}

// Published is the cluster's own report as a preview of the revision that it is
// about. A verdict that has expired decides nothing.
func Published(app *v1alpha1.Application, pages []v1alpha1.DriftReport, now time.Time) Preview {
	d := NewDrift(app, pages, now)
	v := NewPreview(app, "what the cluster reports", d.Entries, app.Status.Notes)
	c := app.Status.Compared
	if c == nil {
		v.stale = "nothing has been compared yet"
		return v
	}
	v.Against = shortRevision(c.Revision, 7)
	if reason, message := whyNotCurrent(app, now); reason != "" {
		v.stale = message
	} else if outcome(d.Application) == Undecided {
		v.stale = "Synced is Unknown"
	}
	return v
}

// NewPreview orders the entries.
func NewPreview(app *v1alpha1.Application, against string, entries []v1alpha1.DriftEntry, notes []string) Preview {
	sorted := slices.Clone(entries)
	sortEntries(sorted)
	return Preview{Application: app, Against: against, Entries: sorted, Notes: notes}
}

// effect is what following Git does to one entry.
type effect int

const (
	none      effect = iota // explained, or no business of this application
	change                  // a field is set to what Git says
	overwrite               // the same, over an edit by hand
	stays                   // differs, and no sync touches it
	create
	remove
	undecided
)

func effectOf(e *v1alpha1.DriftEntry) effect {
	switch placeOf(e) {
	case missing:
		return create
	case removed:
		return remove
	case unknown:
		return undecided
	case counted:
		return fieldEffect(e)
	default:
		return none
	}
}

// fieldEffect: a sync writes what Git declares and what it dropped. What was
// added by hand, and what another controller or nobody owns, it leaves.
func fieldEffect(e *v1alpha1.DriftEntry) effect {
	switch e.Class {
	case v1alpha1.ClassManual:
		if e.Wanted != nil {
			return overwrite
		}
		return stays
	case v1alpha1.ClassPending, v1alpha1.ClassRemoved:
		return change
	default:
		return stays
	}
}

// Outcome is Undecided only if nothing is known to differ.
func (v Preview) Outcome() Outcome {
	n := v.tally()
	switch {
	case v.stale != "":
		return Undecided
	case n.changed+n.created+n.deleted+n.left > 0:
		return Differs
	case n.undecided > 0:
		return Undecided
	default:
		return InSync
	}
}

// tally counts objects by what would happen to them, and hand edits one by one.
type tally struct{ changed, created, deleted, left, undecided, edits int }

func (v Preview) tally() tally {
	var n tally
	of := map[v1alpha1.ObjectReference]map[effect]bool{}
	for i := range v.Entries {
		e := &v.Entries[i]
		what := effectOf(e)
		if what == overwrite {
			n.edits++
		}
		if of[e.Object] == nil {
			of[e.Object] = map[effect]bool{}
		}
		of[e.Object][what] = true
	}
	for _, effects := range of {
		switch {
		case effects[create]:
			n.created++
		case effects[remove]:
			n.deleted++
		case effects[change], effects[overwrite]:
			n.changed++
		case effects[undecided]:
			n.undecided++
		case effects[stays]:
			n.left++
		}
	}
	return n
}

// Names of the Application.
func (v Preview) Names() []string { return []string{applicationName(v.Application)} }

// previewDocument is the form of a preview for programs.
type previewDocument struct {
	Application string                `json:"application"`
	Namespace   string                `json:"namespace"`
	Against     string                `json:"against"`
	Outcome     Outcome               `json:"outcome"`
	Changed     int                   `json:"changed"`
	Created     int                   `json:"created"`
	Deleted     int                   `json:"deleted"`
	HandEdits   int                   `json:"handEdits"`
	Unknown     int                   `json:"unknown"`
	Entries     []v1alpha1.DriftEntry `json:"entries"`
	Notes       []string              `json:"notes,omitempty"`
}

// Value is the whole preview.
func (v Preview) Value() any {
	n := v.tally()
	return previewDocument{
		Application: v.Application.Name, Namespace: v.Application.Namespace, Against: v.Against, Outcome: v.Outcome(),
		Changed: n.changed, Created: n.created, Deleted: n.deleted, HandEdits: n.edits, Unknown: n.undecided,
		Entries: append([]v1alpha1.DriftEntry{}, v.Entries...), Notes: v.Notes,
	}
}
