// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Drift is one Application with every difference of its pages.
type Drift struct {
	// Application as it may be shown now, see Current.
	Application *v1alpha1.Application
	// Entries of all pages, objects that differ first.
	Entries []v1alpha1.DriftEntry
	// Truncated counts entries that did not fit on their page.
	Truncated int32
	Now       time.Time
	// Explained also prints what does not count, entry by entry.
	Explained bool
}

// NewDrift joins the pages of an Application.
func NewDrift(app *v1alpha1.Application, pages []v1alpha1.DriftReport, now time.Time) Drift {
	d := Drift{Application: Current(app, now), Now: now}
	for i := range pages {
		d.Entries = append(d.Entries, pages[i].Status.Entries...)
		d.Truncated += pages[i].Status.Truncated
	}
	sortEntries(d.Entries)
	return d
}

// Outcome is Differs where anything is known to differ, and InSync only if a
// valid verdict says so.
func (d Drift) Outcome() Outcome { return outcome(d.Application) }

// kinds of entry, by where they stand on the screen.
const (
	counted = iota
	removed
	missing
	unknown
	explained
	stray
)

// placeOf sorts an entry into its part of the screen. The classes decide, and
// what counts as drift is the controller's word, not recomputed here.
func placeOf(e *v1alpha1.DriftEntry) int {
	switch {
	case e.Class == v1alpha1.ClassStray:
		return stray
	case e.Class == v1alpha1.ClassUnknown:
		return unknown
	case !e.Drift:
		return explained
	case e.Class == v1alpha1.ClassMissing:
		return missing
	case e.Class == v1alpha1.ClassRemoved && e.Path == "":
		return removed
	default:
		return counted
	}
}

// sortEntries orders by object, objects that differ in a field first, then the
// removed, missing and unknown ones; within an object by path.
func sortEntries(entries []v1alpha1.DriftEntry) {
	place := map[v1alpha1.ObjectReference]int{}
	for i := range entries {
		p := placeOf(&entries[i])
		if known, ok := place[entries[i].Object]; !ok || p < known {
			place[entries[i].Object] = p
		}
	}
	slices.SortStableFunc(entries, func(a, b v1alpha1.DriftEntry) int {
		return cmp.Or(
			cmp.Compare(place[a.Object], place[b.Object]),
			compareObjects(a.Object, b.Object),
			cmp.Compare(placeOf(&a), placeOf(&b)),
			strings.Compare(a.Path, b.Path),
		)
	})
}

func compareObjects(a, b v1alpha1.ObjectReference) int {
	return cmp.Or(
		strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Kind, b.Kind),
		strings.Compare(a.Name, b.Name),
		strings.Compare(a.Group, b.Group),
	)
}

// split takes the entries of one part of the screen out.
func split(entries []v1alpha1.DriftEntry, places ...int) []v1alpha1.DriftEntry {
	var out []v1alpha1.DriftEntry
	for i := range entries {
		if slices.Contains(places, placeOf(&entries[i])) {
			out = append(out, entries[i])
		}
	}
	return out
}

// objectName is an object in the words of the screens; the namespace stands
// only where it is not the usual one.
func objectName(o v1alpha1.ObjectReference, usual string) string {
	if o.Namespace == "" || o.Namespace == usual {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// home is the namespace that an Application's objects usually live in.
func home(app *v1alpha1.Application) string {
	return cmp.Or(app.Spec.Destination.Namespace, app.Namespace)
}

// applicationName is an Application as kubectl names it.
func applicationName(app *v1alpha1.Application) string {
	return "application." + v1alpha1.GroupVersion.Group + "/" + app.Name
}

// Names of the Application.
func (d Drift) Names() []string { return []string{applicationName(d.Application)} }

// driftDocument is the form of a drift report for programs.
type driftDocument struct {
	Application string                      `json:"application"`
	Namespace   string                      `json:"namespace"`
	Outcome     Outcome                     `json:"outcome"`
	Stage       v1alpha1.StageStatus        `json:"stage"`
	Compared    *v1alpha1.Compared          `json:"compared,omitempty"`
	Summary     *v1alpha1.Summary           `json:"summary,omitempty"`
	Conditions  []metav1.Condition          `json:"conditions"`
	Entries     []v1alpha1.DriftEntry       `json:"entries"`
	Truncated   int32                       `json:"truncated,omitempty"`
	IgnoreRules []v1alpha1.IgnoreRuleStatus `json:"ignoreRules,omitempty"`
	Notes       []string                    `json:"notes,omitempty"`
}

// Value is the whole report: every entry of every page, explained or not.
func (d Drift) Value() any {
	s := d.Application.Status
	doc := driftDocument{
		Application: d.Application.Name, Namespace: d.Application.Namespace, Outcome: d.Outcome(),
		Stage: s.Stage, Compared: s.Compared, Summary: s.Summary,
		Conditions: s.Conditions, Entries: d.Entries, Truncated: d.Truncated,
		IgnoreRules: s.IgnoreRules, Notes: s.Notes,
	}
	if doc.Entries == nil {
		doc.Entries = []v1alpha1.DriftEntry{}
	}
	if doc.Conditions == nil {
		doc.Conditions = []metav1.Condition{}
	}
	return doc
}
