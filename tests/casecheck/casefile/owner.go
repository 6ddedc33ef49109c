// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"maps"
	"slices"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// Owner is the application that desired.yaml belongs to: the one of the
// inventory that shares most objects with it, or the first by name.
func (c Case) Owner() string {
	best, most := "", -1
	for _, name := range slices.Sorted(maps.Keys(c.Recorded)) {
		shared := 0
		for _, r := range c.Recorded[name] {
			if slices.ContainsFunc(c.Desired, func(o manifest.Object) bool { return o.ID() == r.ID() }) {
				shared++
			}
		}
		if shared > most {
			best, most = name, shared
		}
	}
	return best
}

// Declares says whether Git declares the object in a file of its own.
func (c Case) Declares(id manifest.ID) bool {
	return slices.ContainsFunc(c.Desired, func(o manifest.Object) bool { return o.ID() == id })
}
