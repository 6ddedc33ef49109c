// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

func marksOf(e api.InventoryEntry) Marks {
	return Marks{
		Settled: e.Settled, Backlog: joined(e.Backlog), Agreed: joined(e.Agreed), Reverted: string(placesOf(e.Reverted)),
		Inputs: e.Inputs, Removed: tombstoneOf(e.Removed), Restored: e.Restored,
	}
}

// Declared says that Git declares the object, and under which inputs.
func (e Entry) Declared(inputs string) Entry {
	e.Inputs, e.Removed, e.Restored = inputs, nil, false
	return e
}

// Entomb puts up a tombstone, or keeps the one that stands.
func (e Entry) Entomb(now time.Time, revision, beside string) Entry {
	if e.Removed == nil {
		e.Removed = &Tombstone{Since: now, Revision: revision, Beside: beside}
	}
	return e
}

// Show counts the quarantine from now on, if it is not counted yet: what was
// removed long before the step to Prune is shown like the rest. Below Prune
// nothing is counted.
func (e Entry) Show(granted bool, now time.Time, quarantine time.Duration) Entry {
	t := *e.Removed
	switch {
	case !granted:
		t.Shown, t.Until = time.Time{}, time.Time{}
	case t.Shown.IsZero():
		t.Shown = now
	}
	if granted {
		t.Until = t.Shown.Add(quarantine)
	}
	if t != *e.Removed {
		e.Removed = &t
	}
	return e
}

// Delete records that a deletion is about to be sent; the zero time that none
// was done.
func (e Entry) Delete(at time.Time) Entry {
	t := *e.Removed
	t.Deleting = at
	e.Removed = &t
	return e
}

// Agree keeps what was approved for the object and is not done yet.
func (e Entry) Agree(digests []string) Entry {
	slices.Sort(digests)
	e.Agreed = joined(slices.Compact(digests))
	return e
}

// AgreedTo lists it.
func (e Entry) AgreedTo() []string { return split(e.Agreed) }

// Place is a path that was reverted lately.
type Place struct {
	Pointer string      `json:"p,omitempty"`
	Times   []time.Time `json:"t"`
	By      string      `json:"b,omitempty"`
}

// Places are such paths of one object as one text, since hardly any object has
// one. The zero value has none.
type Places string

// PackPlaces packs them.
func PackPlaces(list []Place) Places {
	if len(list) == 0 {
		return ""
	}
	slices.SortFunc(list, func(a, b Place) int { return strings.Compare(a.Pointer, b.Pointer) })
	text, err := json.Marshal(list)
	if err != nil {
		return "" // times and texts can always be written
	}
	return Places(text)
}

// Unpack gives them back.
func (p Places) Unpack() []Place {
	var list []Place
	if p == "" || json.Unmarshal([]byte(p), &list) != nil {
		return nil
	}
	return list
}

func (p Places) api() []api.RevertedPlace {
	var out []api.RevertedPlace
	for _, place := range p.Unpack() {
		r := api.RevertedPlace{Path: place.Pointer, By: place.By}
		for _, t := range place.Times {
			r.Times = append(r.Times, metav1.NewTime(t.UTC().Truncate(time.Second)))
		}
		out = append(out, r)
	}
	return out
}

func placesOf(list []api.RevertedPlace) Places {
	var places []Place
	for _, r := range list {
		p := Place{Pointer: r.Path, By: r.By}
		for _, t := range r.Times {
			p.Times = append(p.Times, t.UTC())
		}
		places = append(places, p)
	}
	return PackPlaces(places)
}
