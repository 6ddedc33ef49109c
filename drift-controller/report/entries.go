// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// Input is all that a report is about.
type Input struct {
	Application Name
	Stage       api.Stage
	Objects     []drift.Object
	// Removed objects are in the inventory, live, and declared no more.
	Removed []inventory.Entry
	Strays  []live.Stray
	Readers consumers.Index
	// Pods tells, by reader, when its running pods started; the pods of readers
	// that are not in it could not be listed.
	Pods map[manifest.ID][]time.Time
	// Seen says when an entry was first seen, from the last report.
	Seen map[EntryKey]metav1.Time
	// Declared tells where Git declares a field: "values-prod.yaml: env.HOST".
	Declared func(drift.Object, drift.Judgement) string
	Planned  Planned
	Writers  writers.Catalogue
	Now      time.Time
}

// Planned says what will be done; without it the stage alone tells.
type Planned struct {
	Actions map[plan.Key]plan.Action
	// Old entries are backlog: from before the step to SelfHeal.
	Old map[plan.Key]bool
}

// Name is the Application's, for commands to copy.
type Name struct{ Namespace, Name string }

// EntryKey identifies an entry from one run to the next.
type EntryKey struct {
	ID   manifest.ID
	Path string
}

// SeenIn reads from the last report's pages when its entries were first seen.
func SeenIn(list []api.DriftReport) map[EntryKey]metav1.Time {
	seen := map[EntryKey]metav1.Time{}
	for _, page := range list {
		for _, e := range page.Status.Entries {
			seen[EntryKey{ID: idOf(e.Object), Path: e.Path}] = e.FirstSeen
		}
	}
	return seen
}

func idOf(o api.ObjectReference) manifest.ID {
	return manifest.ID{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

// Entries writes every difference that is worth a line, ordered by object and
// path. Class Default is left out: it is what the server always does.
func Entries(in Input) []api.DriftEntry {
	var entries []api.DriftEntry
	for _, o := range in.Objects {
		entries = append(entries, in.ofObject(o)...)
	}
	for _, e := range in.Removed {
		entries = append(entries, in.removed(e))
	}
	for _, s := range in.Strays {
		entries = append(entries, in.stray(s))
	}
	slices.SortFunc(entries, func(a, b api.DriftEntry) int {
		return cmp.Or(idOf(a.Object).Compare(idOf(b.Object)), cmp.Compare(a.Path, b.Path))
	})
	return entries
}

func (in Input) ofObject(o drift.Object) []api.DriftEntry {
	var entries []api.DriftEntry
	switch o.Verdict {
	case api.VerdictMissing:
		e := in.entry(o.ID, o.Version, "")
		e.Kind, e.Class, e.Drift = api.Absent, api.ClassMissing, true
		e.Explanation, e.DeclaredAt = o.Message, o.Source.String()
		e.Next = in.next(plan.ForMissing(o, in.Stage))
		e.SuggestionKind, e.Suggestion = Suggest(in.Application, e)
		return append(entries, e)
	case api.VerdictUnknown:
		e := in.entry(o.ID, o.Version, "")
		e.Class, e.Explanation, e.DeclaredAt = api.ClassUnknown, o.Reason+": "+o.Message, o.Source.String()
		e.Next = "nothing is done to an object that is Unknown"
		entries = append(entries, e)
	case api.VerdictInSync, api.VerdictDrifted:
	}
	for _, j := range o.Judgements {
		if j.Class != api.ClassDefault {
			entries = append(entries, in.difference(o, j))
		}
	}
	return entries
}

// next is what the plan says of a place, or else what the stage does.
func (in Input) next(byStage plan.Action) string {
	if planned, ok := in.Planned.Actions[plan.Key{ID: byStage.ID, Pointer: byStage.Pointer}]; ok {
		return planned.Next()
	}
	return byStage.Next()
}

func (in Input) entry(id manifest.ID, version, path string) api.DriftEntry {
	first, ok := in.Seen[EntryKey{ID: id, Path: path}]
	if !ok {
		first = metav1.NewTime(in.Now.Truncate(time.Second))
	}
	return api.DriftEntry{
		Object: api.ObjectReference{Group: id.Group, Version: version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name},
		Path:   path, FirstSeen: first, Backlog: in.Planned.Old[plan.Key{ID: id, Pointer: path}],
	}
}

func (in Input) difference(o drift.Object, j drift.Judgement) api.DriftEntry {
	e := in.entry(o.ID, o.Version, j.Pointer)
	e.Kind, e.Class, e.Drift, e.Explanation = j.Kind, j.Class, j.Drift, j.Explanation
	e.Wanted, e.Live = j.Wanted.Report(j.Live), j.Live.Report(j.Wanted)
	if !j.Declared {
		e.Wanted = nil // a default of the server is nothing that Git wants
	}
	e.Managers = managers(j.Owners)
	if j.Declared && in.Declared != nil {
		e.DeclaredAt = in.Declared(o, j)
	}
	if !j.Drift {
		e.Next = "not counted: " + j.Explanation
		e.SuggestionKind, e.Suggestion = Suggest(in.Application, e)
		return e
	}
	in.consumers(&e, writtenAt(j))
	e.Next = in.next(plan.ForDifference(o, j, in.Stage))
	e.SuggestionKind, e.Suggestion = Suggest(in.Application, e)
	return e
}

// writtenAt is the last recorded write by those who own the live value; zero
// where nobody is recorded, or at no time.
func writtenAt(j drift.Judgement) time.Time {
	var last time.Time
	for _, owner := range j.Owners {
		if owner.Role != writers.Holdfast && owner.LastWrite.After(last) {
			last = owner.LastWrite
		}
	}
	return last
}

// consumers are told what touches them: who reads the field runs on the live
// value, or will from its next start on.
func (in Input) consumers(e *api.DriftEntry, since time.Time) {
	const most = 20
	for _, r := range in.Readers[idOf(e.Object)] {
		if !r.Reads(e.Path) {
			continue
		}
		if len(e.Consumers) == most {
			e.MoreConsumers++
			continue
		}
		c := api.Consumer{Kind: r.ID.Kind, Namespace: r.ID.Namespace, Name: r.ID.Name, How: r.How, PodsBefore: -1}
		if starts, ok := in.Pods[r.ID]; ok && r.RunsPods() && !since.IsZero() {
			c.PodsBefore, c.Pods = before(starts, since), int32(len(starts)) //nolint:gosec // far fewer pods than 2^31
		}
		e.Consumers = append(e.Consumers, c)
	}
}

// before counts pods that started before the change. The API server records
// whole seconds, so that one of the same second may run on either value; it is
// told that it started after.
func before(starts []time.Time, since time.Time) int32 {
	var n int32
	for _, start := range starts {
		if start.Before(since) {
			n++
		}
	}
	return n
}

func managers(owners []drift.Owner) []api.FieldManager {
	const most = 16
	out := make([]api.FieldManager, 0, len(owners))
	for _, o := range owners[:min(len(owners), most)] {
		out = append(out, manager(o.Manager, o.Role))
	}
	return out
}

func manager(m live.Manager, role writers.Role) api.FieldManager {
	f := api.FieldManager{Name: m.Name, Operation: m.Operation, Subresource: m.Subresource, Role: string(role)}
	if !m.LastWrite.IsZero() {
		t := metav1.NewTime(m.LastWrite)
		f.LastWrite = &t
	}
	return f
}

func (in Input) removed(r inventory.Entry) api.DriftEntry {
	e := in.entry(r.ID, r.Version, "")
	e.Kind, e.Class, e.Drift = api.Added, api.ClassRemoved, true
	e.Explanation = "in the inventory (" + string(r.Origin) + "), and no longer declared in Git"
	if r.Removed != nil && !r.Removed.Until.IsZero() {
		until := metav1.NewTime(r.Removed.Until.Truncate(time.Second))
		e.DeleteAfter = &until
	}
	e.Next = in.next(plan.ForRemoved(r.ID, in.Stage))
	in.consumers(&e, time.Time{})
	e.SuggestionKind, e.Suggestion = Suggest(in.Application, e)
	return e
}

func (in Input) stray(s live.Stray) api.DriftEntry {
	e := in.entry(s.ID, s.Version, "")
	e.Kind, e.Class = api.Added, api.ClassStray
	e.Explanation = "declared by no application"
	if s.Claim != "" {
		e.Explanation = "owned by " + s.Claim
	}
	if s.Creator.Name != "" {
		e.Managers = []api.FieldManager{manager(s.Creator, in.Writers.RoleOf(s.Creator.Name))}
	}
	e.Next = "never pruned by Holdfast: it was never ours"
	in.consumers(&e, time.Time{})
	e.SuggestionKind, e.Suggestion = Suggest(in.Application, e)
	return e
}
