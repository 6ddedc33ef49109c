// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

// unjudged are declared objects that the renderer found to be beyond
// comparison. They are Unknown, as Unknown as those that could not be read.
func unjudged(rendered render.Result, scopes manifest.Scopes, namespace string) []drift.Object {
	var objects []drift.Object
	for _, u := range rendered.Unjudged {
		if u.Note {
			continue
		}
		o := drift.Object{ID: u.ID, Source: u.Source, Verdict: v1alpha1.VerdictUnknown, Reason: "NotComparable", Message: u.Reason}
		if namespaced, known := scopes.Of(u.ID.GroupKind()); o.ID.Namespace == "" && namespaced && known {
			o.ID.Namespace = namespace
		}
		objects = append(objects, o)
	}
	return objects
}

// notes gathers what has to be said beside the entries.
func (j *judge) notes(objects []drift.Object, set desired.Set, rendered render.Result) []string {
	notes := slices.Clone(rendered.Notes)
	for _, why := range append(slices.Clone(set.Incomplete), rendered.Incomplete...) {
		notes = append(notes, "what is gone from the source cannot be told: "+why)
	}
	for _, h := range rendered.Hooks {
		notes = append(notes, fmt.Sprintf("%s: hook %s (%s) is not compared", h.Source, h.ID, h.Event))
	}
	for _, u := range rendered.Unjudged {
		if u.Note {
			notes = append(notes, fmt.Sprintf("%s: %s cannot be compared: %s", u.Source, u.ID, u.Reason))
		}
	}
	for _, unread := range j.around.Unread {
		notes = append(notes, "evidence that could not be read: "+unread)
	}
	for _, o := range objects {
		for _, finding := range o.Findings {
			notes = append(notes, fmt.Sprintf("%s: %s", o.ID, finding))
		}
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// origins tells where the source declares a field: the values file and key, or
// the manifest.
func origins(set desired.Set, rendered render.Result) func(drift.Object, drift.Judgement) string {
	declared := map[manifest.ID]manifest.Object{}
	for _, o := range set.Objects {
		declared[o.ID()] = o.Object
	}
	return func(o drift.Object, d drift.Judgement) string {
		object, ok := declared[o.ID]
		if !ok {
			return ""
		}
		value, _ := keyedpath.Get(object.Object, d.Path)
		return rendered.Origin(object, nameOf(d.Pointer), value)
	}
}

// nameOf is the last name on the way to a field; for the value of a variable
// it is the variable's.
func nameOf(pointer string) string {
	tokens := keyedpath.Tokens(pointer)
	if len(tokens) > 1 && tokens[len(tokens)-1] == "value" {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return ""
	}
	last := tokens[len(tokens)-1]
	if item, named := strings.CutPrefix(last, "[name="); named {
		return strings.TrimSuffix(item, "]")
	}
	return last
}
