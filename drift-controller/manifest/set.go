// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"
)

// Set holds objects with distinct identities, ordered by identity.
type Set struct {
	objects []Object
	index   map[ID]int
}

// NewSet orders the objects. Two with one identity are an error that names the
// places of both; an object without a name of its own is one, too.
func NewSet(objects []Object) (Set, error) {
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b Object) int { return a.ID().Compare(b.ID()) })
	index := make(map[ID]int, len(sorted))
	for i, object := range sorted {
		id := object.ID()
		if id.Name == "" {
			return Set{}, &Error{Kind: ErrNotObject, Source: object.Source,
				Message: fmt.Sprintf("%s has no metadata.name: an object whose name the server makes up cannot be compared", id.Kind)}
		}
		if first, seen := index[id]; seen {
			return Set{}, &Error{Kind: ErrDuplicateObject, Source: object.Source,
				Message: fmt.Sprintf("%s is already declared in %s: keep one of the two", id, sorted[first].Source)}
		}
		index[id] = i
	}
	return Set{objects: sorted, index: index}, nil
}

// Objects are the members, ordered by ID.Compare. The slice is the caller's,
// the objects are shared.
func (s Set) Objects() []Object { return slices.Clone(s.objects) }

// Get finds an object.
func (s Set) Get(id ID) (Object, bool) {
	i, found := s.index[id]
	if !found {
		return Object{}, false
	}
	return s.objects[i], true
}

// Len is the number of objects.
func (s Set) Len() int { return len(s.objects) }
