// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/pages"
)

const (
	// Day is what a budget of deletions is about.
	Day = 24 * time.Hour
	// Remembered is how long a pruned object can be asked back.
	Remembered = 7 * Day
	// mostGraves bounds what is remembered: the oldest go first.
	mostGraves = 400
)

// Tombstone says of an entry that Git declares it no more.
type Tombstone struct {
	Since    time.Time // a complete render first lacked it
	Shown    time.Time // since when a stage grants the deletion; zero: none does
	Until    time.Time // the end of its quarantine
	Beside   string    // what else changed when it went missing
	Revision string    // that declared it no more
	Deleting time.Time // a deletion may have been sent from here on
}

func (t *Tombstone) api() *api.Tombstone {
	if t == nil {
		return nil
	}
	return &api.Tombstone{
		Since: metav1.NewTime(t.Since.Truncate(time.Second)), Shown: moment(t.Shown), Until: moment(t.Until),
		Beside: t.Beside, Revision: t.Revision, Deleting: moment(t.Deleting),
	}
}

func tombstoneOf(t *api.Tombstone) *Tombstone {
	if t == nil {
		return nil
	}
	return &Tombstone{
		Since: t.Since.Time, Shown: timeOf(t.Shown), Until: timeOf(t.Until), Beside: t.Beside,
		Revision: t.Revision, Deleting: timeOf(t.Deleting),
	}
}

// moment rounds up, so that a restart never makes a quarantine shorter.
func moment(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	at := metav1.NewTime(t.Add(time.Second - 1).Truncate(time.Second))
	return &at
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// Grave is one object that we have deleted, and that was seen to be gone.
type Grave struct {
	ID           manifest.ID
	Version, UID string
	At           time.Time
	Revision     string
	Undone       bool
}

// Graves are ordered by object and time.
type Graves []Grave

// ReadGraves takes them from the pages.
func ReadGraves(list []api.Inventory) Graves {
	var all Graves
	for _, page := range list {
		for _, p := range page.Status.Pruned {
			all = append(all, Grave{
				ID: identity(p.Object), Version: p.Object.Version, UID: string(p.UID), At: p.Time.Time,
				Revision: p.Revision, Undone: p.Undone,
			})
		}
	}
	return all.ordered()
}

func (g Graves) ordered() Graves {
	slices.SortFunc(g, func(a, b Grave) int {
		return cmp.Or(a.ID.Compare(b.ID), a.At.Compare(b.At), cmp.Compare(a.UID, b.UID))
	})
	return slices.CompactFunc(g, func(a, b Grave) bool { return a.ID == b.ID && a.UID == b.UID })
}

// Bury adds what is proven to be gone after we deleted it.
func (g Graves) Bury(e Entry, now time.Time) Graves {
	if e.Removed == nil || e.Removed.Deleting.IsZero() {
		return g // somebody else did
	}
	return append(slices.Clone(g), Grave{ID: e.ID, Version: e.Version, UID: e.UID, At: now, Revision: e.Removed.Revision}).ordered()
}

// Keep drops what is too old to matter. A clock that was set back makes nothing
// older than it is.
func (g Graves) Keep(now time.Time) Graves {
	kept := slices.DeleteFunc(slices.Clone(g), func(grave Grave) bool { return now.Sub(grave.At) > Remembered })
	if len(kept) <= mostGraves {
		return kept
	}
	slices.SortFunc(kept, func(a, b Grave) int { return b.At.Compare(a.At) })
	return Graves(kept[:mostGraves]).ordered()
}

// Undo marks an object as brought back.
func (g Graves) Undo(id manifest.ID) Graves {
	next := slices.Clone(g)
	for i := range next {
		if next[i].ID == id {
			next[i].Undone = true
		}
	}
	return next
}

// Spent is how many deletions of the last day count: those done, and those
// that may have been sent.
func Spent(m Memory, g Graves, now time.Time) int {
	spent := 0
	for _, grave := range g {
		if now.Sub(grave.At) < Day {
			spent++
		}
	}
	for _, e := range m {
		if e.Removed != nil && !e.Removed.Deleting.IsZero() && now.Sub(e.Removed.Deleting) < Day {
			spent++
		}
	}
	return spent
}

func (g Graves) page(number, count int) []api.PrunedObject {
	var page []api.PrunedObject
	for _, grave := range g {
		if pages.Of(grave.ID, count) == number {
			page = append(page, api.PrunedObject{
				Object: referenceTo(grave.ID, grave.Version), UID: types.UID(grave.UID), Time: *moment(grave.At),
				Revision: grave.Revision, Undone: grave.Undone,
			})
		}
	}
	return page
}

func identity(o api.ObjectReference) manifest.ID {
	return manifest.ID{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

func referenceTo(id manifest.ID, version string) api.ObjectReference {
	return api.ObjectReference{Group: id.Group, Version: version, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
}
