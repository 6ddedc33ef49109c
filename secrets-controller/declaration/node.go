// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"maps"
	"slices"
)

// node is a value inside an object together with the pointer that leads to
// it. A missing or mistyped field is an empty node: whether the schema allows
// it is a question for a rule, and one odd field must not hide all others.
type node struct {
	value any
	at    Pointer
}

func (n node) get(keys ...string) node {
	for _, key := range keys {
		fields, _ := n.value.(map[string]any)
		n = node{value: fields[key], at: n.at.Child(key)}
	}
	return n
}

func (n node) exists() bool { return n.value != nil }

func (n node) text() string {
	s, _ := n.value.(string)
	return s
}

// textOr gives the text, or the API server's default where Git says nothing.
func (n node) textOr(fallback string) string {
	if s := n.text(); s != "" {
		return s
	}
	return fallback
}

func (n node) isTrue() bool {
	b, _ := n.value.(bool)
	return b
}

func (n node) number() int64 {
	i, _ := n.value.(int64)
	return i
}

func (n node) items() []node {
	list, _ := n.value.([]any)
	out := make([]node, len(list))
	for i := range list {
		out[i] = node{value: list[i], at: n.at.Child(i)}
	}
	return out
}

func (n node) texts() []string {
	var out []string
	for _, item := range n.items() {
		if s := item.text(); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// keys lists the field names in order, so that every reader is deterministic.
func (n node) keys() []string {
	fields, _ := n.value.(map[string]any)
	return slices.Sorted(maps.Keys(fields))
}

func (n node) textMap() map[string]string {
	keys := n.keys()
	if len(keys) == 0 {
		return nil
	}
	out := make(map[string]string, len(keys))
	for _, key := range keys {
		out[key] = n.get(key).text()
	}
	return out
}
