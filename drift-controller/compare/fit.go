// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// Complaint is a place of a declaration that the server's schema has no room
// for: a field it does not know, or a list in which a key stands twice.
type Complaint struct {
	Path string // in the server's form: .spec.containers[name="api"].ports
	Key  string // of the duplicates, such as [name="A"]; empty for a field
}

// String is the finding that a reader sees. It holds names only.
func (c Complaint) String() string {
	if c.Key == "" {
		return c.Path + ": field not declared in schema: the server drops it or refuses the object"
	}
	return c.Path + ": duplicate entries for key " + c.Key + ": the last one counts, or the server refuses the object"
}

// Fitted is a declaration without what the schema has no room for.
type Fitted struct {
	Object     *unstructured.Unstructured
	Complaints []Complaint
	// doubles are the earlier ones of items with the same key, by complaint.
	doubles map[Complaint][]any
}

// rounds bounds the search: a typed conversion stops at the first bad field of
// a struct, so each round may find more.
const rounds = 100

// Fit looks for what the schema has no room for and leaves it out, so that the
// rest can be compared. Other faults, such as a field of the wrong type, stay
// for the server to refuse. The declaration itself is not changed.
func Fit(desired *unstructured.Unstructured, schema managedfields.TypeConverter) Fitted {
	f := Fitted{Object: desired.DeepCopy(), doubles: map[Complaint][]any{}}
	for range rounds {
		_, err := schema.ObjectToTyped(f.Object)
		if err == nil || !f.Drop(Complaints(err.Error())) {
			break
		}
	}
	return f
}

// Drop leaves out what the complaints name; false if nothing of it is there.
func (f *Fitted) Drop(complaints []Complaint) bool {
	dropped := false
	for _, c := range complaints {
		doubles, ok := drop(f.Object.Object, c)
		if !ok {
			continue
		}
		dropped = true
		f.Complaints = append(f.Complaints, c)
		if len(doubles) > 0 {
			if f.doubles == nil {
				f.doubles = map[Complaint][]any{}
			}
			f.doubles[c] = doubles
		}
	}
	return dropped
}

// Complete puts the doubles back into the form that the server gave for the
// fitted declaration: it stores both when an object is created in full, and an
// object that was must not differ.
func (f Fitted) Complete(answer *unstructured.Unstructured) {
	for c, doubles := range f.doubles {
		parent, last, ok := find(answer.Object, c.Path)
		fields, isMap := parent.(map[string]any)
		if !ok || !isMap {
			continue
		}
		list, _ := fields[last].([]any)
		at := 0
		for at < len(list) && !selects(c.Key, list[at], at) {
			at++
		}
		if at < len(list) {
			fields[last] = slices.Insert(slices.Clone(list), at, withKeys(c.Key, doubles)...)
		}
	}
}

// withKeys writes the keys out that an item leaves to their defaults, as the
// server does.
func withKeys(key string, items []any) []any {
	full := make([]any, 0, len(items))
	for _, item := range items {
		fields, isMap := item.(map[string]any)
		if !isMap {
			full = append(full, item)
			continue
		}
		fields = maps.Clone(fields)
		for _, m := range keyField.FindAllStringSubmatch(strings.Trim(key, "[]"), -1) {
			var v any
			if _, there := fields[m[1]]; !there && json.Unmarshal([]byte(m[2]), &v) == nil {
				fields[m[1]] = v
			}
		}
		full = append(full, fields)
	}
	return full
}

var (
	unknownField = regexp.MustCompile(`(?m)(\.[^\n]*?): field not declared in schema`)
	duplicate    = regexp.MustCompile(`(?m)(\.[^\n]*?): duplicate entries for key (\[[^\n]*\])`)
)

// Complaints are read from the words of a typed conversion, the server's or
// our own: there is no code for them, the server answers 500.
func Complaints(words string) []Complaint {
	var all []Complaint
	for _, m := range unknownField.FindAllStringSubmatch(words, -1) {
		all = append(all, Complaint{Path: m[1]})
	}
	for _, m := range duplicate.FindAllStringSubmatch(words, -1) {
		all = append(all, Complaint{Path: m[1], Key: m[2]})
	}
	slices.SortFunc(all, func(a, b Complaint) int { return strings.Compare(a.Path+a.Key, b.Path+b.Key) })
	return slices.Compact(all)
}

// drop takes what a complaint names out of an object and gives the doubles.
// Of items with one key the last stays, as kubectl and the kubelet have it.
func drop(root map[string]any, c Complaint) (doubles []any, ok bool) {
	parent, last, ok := find(root, c.Path)
	fields, isMap := parent.(map[string]any)
	if !ok || !isMap {
		return nil, false
	}
	if c.Key == "" {
		delete(fields, last)
		return nil, true
	}
	list, isList := fields[last].([]any)
	if !isList {
		return nil, false
	}
	kept, doubles := lastOnly(list, c.Key)
	fields[last] = kept
	return doubles, len(doubles) > 0
}

func lastOnly(list []any, key string) (kept, doubles []any) {
	last := -1
	for i, item := range list {
		if selects(key, item, i) {
			last = i
		}
	}
	for i, item := range list {
		if i != last && selects(key, item, i) {
			doubles = append(doubles, item)
			continue
		}
		kept = append(kept, item)
	}
	return kept, doubles
}
