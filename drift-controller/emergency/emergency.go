// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package emergency

import (
	"fmt"
	"slices"
	"time"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// longest is how long an emergency lasts at most where no Project says so.
const longest = 4 * time.Hour

// Edit is one difference that counts as drift.
type Edit struct {
	ID        manifest.ID
	Pointer   string
	FirstSeen time.Time
}

// String is the edit as a list shows it.
func (e Edit) String() string {
	if e.Pointer == "" {
		return e.ID.String()
	}
	return e.ID.String() + " " + e.Pointer
}

// Input is all that an emergency is about.
type Input struct {
	Application string
	Glasses     []api.BreakGlass
	Policy      *api.BreakGlassPolicy // nil: the defaults
	Hold        *api.Hold             // from the last status
	Edits       []Edit
	// Unknown objects may hide an edit, so a hold on them goes on.
	Unknown []manifest.ID
	Now     time.Time
}

// Outcome is what follows.
type Outcome struct {
	// Hold is what the status has to remember; nil if nothing is held.
	Hold *api.Hold
	// Open: an emergency is under way. Held: it is over, and edits are left.
	Open, Held bool
	Message    string
	// Until is the end of the last one that is open; zero without.
	Until time.Time
	// Statuses of the BreakGlasses, by name.
	Statuses map[string]api.BreakGlassStatus

	scopes []scope
}

// scope is a part of the application and why nothing is written there.
type scope struct {
	objects []api.KindSelector
	reason  string
}

func (s scope) covers(id manifest.ID) bool {
	return len(s.objects) == 0 || slices.ContainsFunc(s.objects, func(k api.KindSelector) bool { return desired.Selects(k, id) })
}

// Refuses says why an object may not be written now; empty if it may.
func (o Outcome) Refuses(id manifest.ID) string {
	for _, s := range o.scopes {
		if s.covers(id) {
			return s.reason
		}
	}
	return ""
}

// Decide looks at the emergencies of one application.
func Decide(in Input) Outcome {
	out := Outcome{Statuses: map[string]api.BreakGlassStatus{}}
	held := in.Hold
	for _, g := range in.open() {
		s := scope{objects: g.Spec.Objects, reason: fmt.Sprintf(
			"BreakGlass %s of %s holds it until %s: %s", g.Name, g.Spec.RequestedBy, in.end(g).UTC().Format(time.RFC3339), g.Spec.Reason)}
		out.scopes = append(out.scopes, s)
		out.Open, out.Message = true, s.reason
		if end := in.end(g); end.After(out.Until) {
			out.Until = end
		}
		held = widened(held, g)
	}
	out.Hold = in.remember(held, out.Open)
	if out.Hold != nil && !out.Open {
		made := in.made(*out.Hold)
		out.Held = true
		out.Message = fmt.Sprintf("BreakGlass %s is over, and %d of its edits are not in Git: commit them or set them back", out.Hold.BreakGlass, len(made))
		out.scopes = append(out.scopes, scope{objects: out.Hold.Objects, reason: out.Message})
	}
	for _, g := range in.mine() {
		out.Statuses[g.Name] = in.status(g, out)
	}
	return out
}

func (in Input) mine() []api.BreakGlass {
	return slices.DeleteFunc(slices.Clone(in.Glasses), func(g api.BreakGlass) bool { return g.Spec.Application != in.Application })
}

// open are those under way: not deleted, not past their end.
func (in Input) open() []api.BreakGlass {
	return slices.DeleteFunc(in.mine(), func(g api.BreakGlass) bool {
		return !g.DeletionTimestamp.IsZero() || !in.Now.Before(in.end(g))
	})
}

// end is when a BreakGlass says, or the Project's longest after its opening.
func (in Input) end(g api.BreakGlass) time.Time {
	most := longest
	if in.Policy != nil && in.Policy.MaxDuration != nil {
		most = in.Policy.MaxDuration.Duration
	}
	last := g.CreationTimestamp.Add(most)
	if g.Spec.Until.After(last) {
		return last
	}
	return g.Spec.Until.Time
}

// widened is a hold that covers one more BreakGlass.
func widened(h *api.Hold, g api.BreakGlass) *api.Hold {
	next := &api.Hold{
		Since: g.CreationTimestamp, BreakGlass: g.Name, RequestedBy: g.Spec.RequestedBy,
		Reason: g.Spec.Reason, Objects: g.Spec.Objects,
	}
	if h == nil {
		return next
	}
	if h.Since.Before(&next.Since) {
		next.Since = h.Since
	}
	switch {
	case len(h.Objects) == 0 || len(next.Objects) == 0:
		next.Objects = nil // the whole application
	default:
		next.Objects = union(h.Objects, next.Objects)
	}
	return next
}

// union of two scopes; one that would not fit a status is the whole.
func union(a, b []api.KindSelector) []api.KindSelector {
	const most = 64
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if len(all) > most {
		return nil
	}
	return all
}

// remember is the hold that goes on.
func (in Input) remember(h *api.Hold, open bool) *api.Hold {
	if h == nil || open {
		return h
	}
	if in.Policy != nil && in.Policy.OnExpiry == api.OnExpiryRevert {
		return nil
	}
	blind := slices.ContainsFunc(in.Unknown, scope{objects: h.Objects}.covers)
	if len(in.made(*h)) == 0 && !blind {
		return nil
	}
	next := *h
	next.Ended = true
	return &next
}

// made are the edits since the opening that Git does not have.
func (in Input) made(h api.Hold) []Edit {
	s := scope{objects: h.Objects}
	return slices.DeleteFunc(slices.Clone(in.Edits), func(e Edit) bool {
		return !s.covers(e.ID) || e.FirstSeen.Before(h.Since.Time)
	})
}

// listed is how many edits a status names.
const listed = 100

func (in Input) status(g api.BreakGlass, out Outcome) api.BreakGlassStatus {
	status := api.BreakGlassStatus{ObservedGeneration: g.Generation, Phase: "Ended", Conditions: g.Status.Conditions}
	opened := api.Hold{Since: g.CreationTimestamp, Objects: g.Spec.Objects}
	made := in.made(opened)
	var now, older []string
	for _, e := range made {
		now = append(now, e.String())
	}
	s := scope{objects: g.Spec.Objects}
	for _, e := range in.Edits {
		if s.covers(e.ID) && e.FirstSeen.Before(g.CreationTimestamp.Time) {
			older = append(older, e.String())
		}
	}
	// What was not in Git before and differs no more is there now.
	inGit := slices.Clone(g.Status.InGit)
	for _, e := range g.Status.NotInGit {
		if !slices.Contains(now, e) && !slices.Contains(inGit, e) {
			inGit = append(inGit, e)
		}
	}
	inGit = slices.DeleteFunc(inGit, func(e string) bool { return slices.Contains(now, e) })
	switch {
	case slices.ContainsFunc(in.open(), func(o api.BreakGlass) bool { return o.Name == g.Name }):
		status.Phase = "Open"
	case out.Held && len(made) > 0:
		status.Phase = "Held"
	}
	status.Counts = api.BreakGlassCounts{InGit: count(inGit), NotInGit: count(now), Older: count(older)}
	status.InGit, status.NotInGit, status.Older = few(inGit), few(now), few(older)
	return status
}

func count(list []string) int32 { return int32(min(len(list), 1<<30)) } //nolint:gosec // bounded

func few(list []string) []string {
	slices.Sort(list)
	return list[:min(len(list), listed)]
}
