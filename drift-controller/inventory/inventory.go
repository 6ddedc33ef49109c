// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/pages"
)

// perPage keeps a page of objects with some fifty declared paths each below
// pages.Limit.
const perPage = 48

// Entry is what is remembered of one object.
type Entry struct {
	ID              manifest.ID
	Version         string
	UID             string
	ResourceVersion string
	Verdict         api.Verdict
	Key             string // what the verdict was judged under
	Precision       api.Precision
	Origin          api.Origin
	Since           time.Time
	Baseline        Packed
	Marks
}

// Marks are what the stages above Observe remember of an object.
type Marks struct {
	// Settled: its baseline was taken at the step to Sync.
	Settled bool
	// Backlog are the paths, in short form and each with a semicolon, whose
	// difference is older than the step to SelfHeal; the object itself stands
	// as the empty path.
	Backlog string
	// Agreed are short digests of what was approved and is not done yet, in the
	// same form.
	Agreed string
	// Reverted is the breaker's memory, as Places writes it.
	Reverted string
	// Inputs are what the object was last declared under, beside manifests.
	Inputs string
	// Removed is set while Git declares the object no more. It is never changed
	// in place.
	Removed *Tombstone
	// Restored: an undo made the object.
	Restored bool
}

// Memory is all entries of one application.
type Memory map[manifest.ID]Entry

// Read takes the memory from its pages.
func Read(list []api.Inventory) Memory {
	m := Memory{}
	for _, page := range list {
		for _, e := range page.Status.Objects {
			id := idOf(e)
			entry := Entry{
				ID: id, Version: e.Object.Version, UID: string(e.UID), ResourceVersion: e.ResourceVersion,
				Verdict: e.Verdict, Key: e.Key, Precision: e.Precision, Origin: e.Origin, Baseline: Pack(e.Applied),
				Marks: marksOf(e),
			}
			if e.Since != nil {
				entry.Since = e.Since.Time
			}
			m[id] = entry
		}
	}
	return m
}

// Knows says whether the object was seen live before.
func (m Memory) Knows(id manifest.ID) bool { return m[id].UID != "" }

// Removed lists the entries that are no longer declared, in order.
func (m Memory) Removed(declared func(manifest.ID) bool) []Entry {
	var gone []Entry
	for id, entry := range m {
		if !declared(id) {
			gone = append(gone, entry)
		}
	}
	slices.SortFunc(gone, func(a, b Entry) int { return a.ID.Compare(b.ID) })
	return gone
}

// Next remembers objects of this run, with what each was judged under. Entries
// that are not declared any more stay, until Forget is told of proof.
func (m Memory) Next(objects []drift.Object, key func(manifest.ID) string, now time.Time) Memory {
	next := maps.Clone(m)
	for _, o := range objects {
		next[o.ID] = m[o.ID].after(o, key(o.ID), now)
	}
	return next
}

// Forget drops entries whose objects are proven to be gone or handed over.
func (m Memory) Forget(gone ...manifest.ID) Memory {
	next := maps.Clone(m)
	for _, id := range gone {
		delete(next, id)
	}
	return next
}

func (e Entry) after(o drift.Object, key string, now time.Time) Entry {
	next := e
	next.ID, next.Version, next.Verdict, next.Key = o.ID, o.Version, o.Verdict, key
	next.Precision, next.ResourceVersion = o.Precision, o.ResourceVersion
	if next.Since.IsZero() {
		next.Since, next.Origin = now, api.OriginAdopted
	}
	if o.UID != "" {
		if e.Intended() || e.UID != "" && e.UID != o.UID {
			// Nobody saw who made it. A person may have made it anew between a
			// commit that drops it and the render of that commit.
			next.Origin = api.OriginAdopted
		}
		next.UID = o.UID
	}
	if o.Agreed != nil {
		next.Baseline = Pack(o.Agreed)
	}
	return next
}

// length is about how many bytes of JSON an entry takes.
func (e Entry) length() int {
	const rest, tombstone = 400, 300 // beside its baseline
	size := rest + len(e.Inputs) + len(e.Agreed)*5/4 + len(e.Reverted)*2
	if e.Removed != nil {
		size += tombstone
	}
	return size + len(e.Baseline)*6/5 + len(e.Backlog)*5/4 // JSON has more signs than Packed
}

// Count is the number of pages that the memory needs. Objects with very many
// declared paths, such as a large ConfigMap, take more of them.
func (m Memory) Count() int {
	size := 0
	for _, e := range m {
		size += e.length()
	}
	return max(pages.Count(len(m), perPage), pages.Count(size, pages.Limit/3))
}

// Page writes one page of the memory, of so many, with the graves on it. What it
// has no room for is the longest baselines: an entry without one is like one at
// first sight.
func (m Memory) Page(number, count int, graves Graves) api.InventoryStatus {
	var entries []Entry
	for id, entry := range m {
		if pages.Of(id, count) == number {
			entries = append(entries, entry)
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return a.ID.Compare(b.ID) })
	page := api.InventoryStatus{Pruned: graves.page(number, count)}
	long := tooLong(entries, room-len(page.Pruned)*graveLength)
	for _, entry := range entries {
		if long[entry.ID] {
			entry.Baseline = ""
		}
		page.Objects = append(page.Objects, entry.api())
	}
	page.Count = int32(len(page.Objects)) //nolint:gosec // a page has far fewer objects than 2^31
	return page
}

// room is what a page has for its entries and graves; the rest is for its
// metadata. No grave is left out for want of room: the budget counts them.
const (
	room        = pages.Limit * 7 / 8
	graveLength = 400
)

// tooLong names the entries whose baselines a page of this size has no room
// for, the longest first.
func tooLong(entries []Entry, size int) map[manifest.ID]bool {
	total := 0
	for _, e := range entries {
		total += e.length()
	}
	if total <= size {
		return nil
	}
	long := map[manifest.ID]bool{}
	order := slices.Clone(entries)
	slices.SortStableFunc(order, func(a, b Entry) int { return len(b.Baseline) - len(a.Baseline) })
	for _, e := range order {
		if total <= size {
			break
		}
		long[e.ID], total = true, total-e.length()
		e.Baseline = ""
		total += e.length()
	}
	return long
}

// Unkept says of which objects the pages do not remember what was agreed on, so
// that nobody has to find out after a restart.
func (m Memory) Unkept() []string {
	const suspect = room / 64 // far longer than that of an ordinary object
	if !slices.ContainsFunc(slices.Collect(maps.Values(m)), func(e Entry) bool { return len(e.Baseline) > suspect }) {
		return nil
	}
	count := m.Count()
	byPage := make([][]Entry, count)
	for id, e := range m {
		n := pages.Of(id, count)
		byPage[n] = append(byPage[n], e)
	}
	var notes []string
	for _, entries := range byPage {
		slices.SortFunc(entries, func(a, b Entry) int { return a.ID.Compare(b.ID) })
		for id := range tooLong(entries, room) {
			notes = append(notes, fmt.Sprintf("%s declares more fields than a page of the inventory has room for: after a restart of the "+
				"drift-controller, what Git changed there meanwhile is told by its writers alone; split the object", id))
		}
	}
	slices.Sort(notes)
	return notes
}

// Pages writes all pages of the memory, by page number.
func (m Memory) Pages() []api.InventoryStatus {
	out := make([]api.InventoryStatus, m.Count())
	for i := range out {
		out[i] = m.Page(i, len(out), nil)
	}
	return out
}

func idOf(e api.InventoryEntry) manifest.ID { return identity(e.Object) }

func (e Entry) api() api.InventoryEntry {
	since := metav1.NewTime(e.Since.Truncate(time.Second))
	return api.InventoryEntry{
		Object: referenceTo(e.ID, e.Version),
		UID:    types.UID(e.UID), ResourceVersion: e.ResourceVersion, Verdict: e.Verdict, Key: e.Key,
		Precision: e.Precision, Origin: e.Origin, Since: &since, Applied: e.Baseline.Unpack(),
		Settled: e.Settled, Backlog: split(e.Backlog), Agreed: split(e.Agreed), Reverted: Places(e.Reverted).api(),
		Inputs: e.Inputs, Removed: e.Removed.api(), Restored: e.Restored,
	}
}
