// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package keyedpath

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// ErrNoPlace means that a value has no place in an object: something on the way
// is neither a map nor a list, or an index lies beyond its list.
var ErrNoPlace = errors.New("the path leads nowhere in this object")

// Set gives the root with the value at the path. Maps on the way are made where
// they are missing, lists too, and an item that a keyed list lacks is appended.
// The root itself may be changed.
func Set(root any, p fieldpath.Path, v any) (any, error) {
	if len(p) == 0 {
		return v, nil
	}
	e, rest := p[0], p[1:]
	if e.FieldName != nil {
		return setField(root, *e.FieldName, rest, v)
	}
	return setItem(root, e, rest, v)
}

func setField(at any, name string, rest fieldpath.Path, v any) (any, error) {
	fields, ok := at.(map[string]any)
	if !ok {
		if at != nil {
			return nil, fmt.Errorf("%q: %w", name, ErrNoPlace)
		}
		fields = map[string]any{}
	}
	next, err := Set(fields[name], rest, v)
	if err != nil {
		return nil, err
	}
	fields[name] = next
	return fields, nil
}

func setItem(at any, e fieldpath.PathElement, rest fieldpath.Path, v any) (any, error) {
	items, ok := at.([]any)
	if !ok && at != nil {
		return nil, fmt.Errorf("%q: %w", token(e), ErrNoPlace)
	}
	i := indexOf(items, e)
	if i < 0 {
		item, err := newItem(e, rest, v)
		if err != nil {
			return nil, err
		}
		return append(items, item), nil
	}
	next, err := Set(items[i], rest, v)
	if err != nil {
		return nil, err
	}
	items[i] = next
	return items, nil
}

// newItem is an item that a list lacks: with its key, so that the list stays
// one with keys.
func newItem(e fieldpath.PathElement, rest fieldpath.Path, v any) (any, error) {
	switch {
	case len(rest) == 0:
		return v, nil
	case e.Key == nil:
		return nil, fmt.Errorf("%q: %w", token(e), ErrNoPlace)
	}
	item := map[string]any{}
	for _, f := range *e.Key {
		item[f.Name] = f.Value.Unstructured()
	}
	return Set(item, rest, v)
}

// Remove gives the root without what is at the path. What is not there stays
// not there. The root itself may be changed.
func Remove(root any, p fieldpath.Path) any {
	if len(p) == 0 {
		return nil
	}
	e, last := p[0], len(p) == 1
	if e.FieldName != nil {
		fields, ok := root.(map[string]any)
		if !ok {
			return root
		}
		at, there := fields[*e.FieldName]
		switch {
		case last:
			delete(fields, *e.FieldName)
		case there:
			fields[*e.FieldName] = Remove(at, p[1:])
		}
		return fields
	}
	items, ok := root.([]any)
	if !ok {
		return root
	}
	i := indexOf(items, e)
	switch {
	case i < 0:
	case last:
		items = slices.Delete(slices.Clone(items), i, i+1)
	default:
		items[i] = Remove(items[i], p[1:])
	}
	return items
}

// Present gives how much of a path is there: the longest part of it that leads
// to a value.
func Present(root any, p fieldpath.Path) fieldpath.Path {
	at := root
	for i, element := range p {
		next, ok := step(at, element)
		if !ok {
			return p[:i]
		}
		at = next
	}
	return p
}

// Locate writes a path as a JSON pointer of RFC 6901 into this very object:
// list items by the index that they have now, and one that is not there yet as
// the end of its list. Only the last element may be missing.
func Locate(root any, p fieldpath.Path) (string, error) {
	at, pointer := root, ""
	for i, element := range p {
		if element.FieldName != nil {
			pointer += "/" + escape.Replace(*element.FieldName)
		} else {
			items, ok := at.([]any)
			if !ok {
				return "", fmt.Errorf("%q: %w", token(element), ErrNoPlace)
			}
			pointer += "/" + place(items, element)
		}
		next, ok := step(at, element)
		if !ok && i < len(p)-1 {
			return "", fmt.Errorf("%q: %w", token(element), ErrNoPlace)
		}
		at = next
	}
	return pointer, nil
}

func place(items []any, e fieldpath.PathElement) string {
	if i := indexOf(items, e); i >= 0 {
		return strconv.Itoa(i)
	}
	return "-"
}
