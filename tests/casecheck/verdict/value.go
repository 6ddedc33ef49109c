// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"time"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

// side is the wanted or the live value of an entry.
type side struct {
	name string
	raw  json.RawMessage // expected, if given
	got  *api.Value
	// absent: without an expected value there must be none.
	absent bool
	// anyValue: there must be one, whichever.
	anyValue bool
	// forms of one value, any of which may be expected and shown.
	forms []any
}

// check gives what is wrong, or "".
func (s side) check(key mask.Key, rigor Rigor) string {
	switch {
	case s.anyValue && s.got == nil:
		return s.name + " has no value"
	case s.anyValue, s.raw == nil && !s.absent:
		return ""
	case s.raw == nil && s.got != nil:
		return s.name + " is " + s.got.JSON
	case s.raw == nil:
		return ""
	case s.got == nil:
		return s.name + " has no value"
	}
	expected, err := decode(s.raw)
	if err != nil {
		return s.name + " cannot be compared: " + err.Error()
	}
	if rigor.Reenacted && isTime(expected) {
		return ""
	}
	shown := s.shownFor(expected)
	if rigor.DeclaredFields && s.name == "want" && s.inGitsWords(shown) {
		return ""
	}
	return s.compare(shown, key)
}

// inGitsWords: without a dry run a list or map is shown as Git has it, and the
// defaults inside it are not known.
func (s side) inGitsWords(expected any) bool {
	got, err := decode(json.RawMessage(s.got.JSON))
	if err != nil || s.got.Digest != "" {
		return false
	}
	switch got.(type) {
	case map[string]any, []any:
		return holds(expected, got)
	}
	return false
}

// holds says whether a value has all that another one has.
func holds(whole, part any) bool {
	switch p := part.(type) {
	case map[string]any:
		w, ok := whole.(map[string]any)
		for name, field := range p {
			ok = ok && holds(w[name], field)
		}
		return ok
	case []any:
		w, ok := whole.([]any)
		if !ok || len(w) != len(p) {
			return false
		}
		for i := range p {
			ok = ok && holds(w[i], p[i])
		}
		return ok
	}
	return reflect.DeepEqual(whole, part)
}

// shownFor is the form that stands for the expected value in a report.
func (s side) shownFor(expected any) any {
	isExpected := func(form any) bool { return reflect.DeepEqual(form, expected) }
	if !slices.ContainsFunc(s.forms, isExpected) {
		return expected
	}
	shown, err := decode(json.RawMessage(s.got.JSON))
	if err == nil && slices.ContainsFunc(s.forms, func(form any) bool { return reflect.DeepEqual(form, shown) }) {
		return shown
	}
	return expected
}

// compare needs no plain text of a value that is masked or cut: the digest of
// the whole stands next to it.
func (s side) compare(expected any, key mask.Key) string {
	if s.got.Digest != "" {
		if s.got.Digest == key.Digest(expected) {
			return ""
		}
		return s.name + " has another digest"
	}
	got, err := decode(json.RawMessage(s.got.JSON))
	if err != nil {
		return s.name + " is no JSON: " + s.got.JSON
	}
	if reflect.DeepEqual(got, expected) {
		return ""
	}
	return s.name + " is " + s.got.JSON
}

func (s side) expected(redact bool) string {
	switch {
	case redact:
		return "another value, which is not shown"
	case s.anyValue:
		return s.name + " present"
	case s.raw == nil:
		return s.name + " absent"
	}
	return s.name + " " + string(s.raw)
}

func isTime(v any) bool {
	text, ok := v.(string)
	if !ok {
		return false
	}
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}

// decode keeps integers exact to 64 bits, as unstructured JSON does.
func decode(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return numbers(v), nil
}

func numbers(v any) any {
	switch t := v.(type) {
	case json.Number:
		if i, err := t.Int64(); err == nil {
			return i
		}
		f, err := t.Float64()
		if err != nil {
			return t.String()
		}
		return f
	case map[string]any:
		for name, field := range t {
			t[name] = numbers(field)
		}
	case []any:
		for i, item := range t {
			t[i] = numbers(item)
		}
	}
	return v
}
