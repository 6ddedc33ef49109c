// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package keyedpath

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Get reads the value at a path of an unstructured object; false if the path
// leads nowhere.
func Get(root any, p fieldpath.Path) (any, bool) {
	at := root
	for _, element := range p {
		next, ok := step(at, element)
		if !ok {
			return nil, false
		}
		at = next
	}
	return at, true
}

func step(at any, e fieldpath.PathElement) (any, bool) {
	if e.FieldName != nil {
		fields, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		v, ok := fields[*e.FieldName]
		return v, ok
	}
	items, ok := at.([]any)
	if !ok {
		return nil, false
	}
	i := indexOf(items, e)
	if i < 0 {
		return nil, false
	}
	return items[i], true
}

// indexOf finds a list item by its path element, or gives -1. A key field that
// an item leaves out has its schema default in the path, which only the schema
// knows: it matches, unless another item says the whole key.
func indexOf(items []any, e fieldpath.PathElement) int {
	if e.Index != nil {
		if *e.Index < len(items) {
			return *e.Index
		}
		return -1
	}
	defaulted := -1
	for i, item := range items {
		switch {
		case e.Value != nil && value.Equals(value.NewValueInterface(item), *e.Value):
			return i
		case e.Key == nil:
			continue
		}
		fits, whole := hasKey(item, *e.Key)
		if fits && whole {
			return i
		}
		if fits && defaulted < 0 {
			defaulted = i
		}
	}
	return defaulted
}

// hasKey compares the key fields that the item has, and says whether it has
// them all.
func hasKey(item any, key value.FieldList) (fits, whole bool) {
	fields, ok := item.(map[string]any)
	if !ok {
		return false, false
	}
	whole = true
	for _, f := range key {
		v, present := fields[f.Name]
		if present && !value.Equals(value.NewValueInterface(v), f.Value) {
			return false, false
		}
		whole = whole && present
	}
	return true, whole
}

// Covers says whether the set has the path itself or anything below it.
func Covers(set *fieldpath.Set, p fieldpath.Path) bool {
	if set == nil {
		return false
	}
	at := set
	for i, element := range p {
		below, hasBelow := at.Children.Get(element)
		if i == len(p)-1 {
			return at.Members.Has(element) || (hasBelow && !below.Empty())
		}
		if !hasBelow {
			return false
		}
		at = below
	}
	return !at.Empty()
}

// Topmost lists the members of a set that lie below no other member, in order.
func Topmost(set *fieldpath.Set) []fieldpath.Path {
	var found []fieldpath.Path
	topmost(set, nil, &found)
	return found
}

func topmost(set *fieldpath.Set, prefix fieldpath.Path, found *[]fieldpath.Path) {
	set.Members.Iterate(func(e fieldpath.PathElement) {
		*found = append(*found, append(prefix.Copy(), e))
	})
	set.Children.Iterate(func(e fieldpath.PathElement) {
		if set.Members.Has(e) {
			return
		}
		below, _ := set.Children.Get(e)
		topmost(below, append(prefix.Copy(), e), found)
	})
}

// Below is the part of a set under a path, and whether there is any.
func Below(set *fieldpath.Set, p fieldpath.Path) (*fieldpath.Set, bool) {
	at := set
	for _, element := range p {
		below, ok := at.Children.Get(element)
		if !ok {
			return nil, false
		}
		at = below
	}
	return at, !at.Empty()
}

// Items are the list items that a set names at its top, in order.
func Items(set *fieldpath.Set) []fieldpath.PathElement {
	var items []fieldpath.PathElement
	set.Members.Iterate(func(e fieldpath.PathElement) {
		if e.Key != nil || e.Value != nil {
			items = append(items, e)
		}
	})
	return items
}

// IndexOf is the place of the item that a path element names in a list, or -1.
func IndexOf(items []any, e fieldpath.PathElement) int { return indexOf(items, e) }
