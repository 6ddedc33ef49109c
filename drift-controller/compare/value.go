// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/value"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

// longest is how many bytes of a value's JSON text a report keeps.
const longest = 4096

// Value is one side of a difference. What leaves it is a digest, a property or
// the masked report form; only a write takes the raw content.
type Value struct {
	raw     any
	present bool
	tokens  []string
	scope   mask.Scope
}

// Present says whether this side has the field at all.
func (v Value) Present() bool { return v.present }

// Empty says whether the value holds nothing: absent, null, "", {} or [].
func (v Value) Empty() bool {
	switch t := v.raw.(type) {
	case nil:
		return true
	case string:
		return t == ""
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	}
	return false
}

// Digest is the keyed digest of the raw value; empty if absent.
func (v Value) Digest() string {
	if !v.present {
		return ""
	}
	return v.scope.Key.Digest(v.raw)
}

// Report gives the form that may leave: masked where sensitive, and where it
// is long cut to the first line that differs from the other side.
func (v Value) Report(other Value) *drift.Value {
	if !v.present {
		return nil
	}
	shown, masked := v.scope.Value(v.tokens, v.raw)
	out := &drift.Value{Masked: masked}
	if masked {
		out.Digest = v.Digest()
	}
	text := encode(shown)
	if len(text) <= longest {
		out.JSON = text
		return out
	}
	out.Digest = v.Digest()
	line, number := firstDifference(shown, other.shown())
	out.JSON, out.Line = encode(clip(line)), number
	return out
}

// Brief is the value as JSON within a sentence: empty where it is absent, masked
// or too long for one.
func (v Value) Brief() string {
	const most = 80
	if !v.present {
		return ""
	}
	shown, masked := v.scope.Value(v.tokens, v.raw)
	text := encode(shown)
	if masked || len(text) > most {
		return ""
	}
	return text
}

func (v Value) shown() any {
	if !v.present {
		return nil
	}
	shown, _ := v.scope.Value(v.tokens, v.raw)
	return shown
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%q", "value cannot be encoded: "+err.Error())
	}
	return string(text)
}

// firstDifference compares two values line by line, as text.
func firstDifference(v, other any) (line string, number int32) {
	mine, theirs := lines(v), lines(other)
	for i, l := range mine {
		if i >= len(theirs) || theirs[i] != l {
			return l, int32(i + 1) //nolint:gosec // a value has far fewer lines than 2^31: API objects are at most 3 MiB
		}
	}
	return "", int32(len(mine)) //nolint:gosec // as above
}

func lines(v any) []string {
	text, ok := v.(string)
	if !ok {
		pretty, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			return nil
		}
		text = string(pretty)
	}
	return strings.Split(text, "\n")
}

// clip keeps a line so short that its JSON text fits even if each byte of it
// has to be escaped.
func clip(line string) string {
	const most = longest/6 - 4
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "…"
}

// Placeholder says whether the value is there only so that something else
// fills it: empty, or the base64 form of a line break that charts put into a
// required CA bundle.
func (v Value) Placeholder() bool {
	return v.Empty() || v.raw == "Cg=="
}

// Contains says whether both values are lists and every item of the other is
// in this one.
func (v Value) Contains(other Value) bool {
	have, ok := v.raw.([]any)
	wanted, also := other.raw.([]any)
	if !ok || !also {
		return false
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(have, func(h any) bool { return equal(h, w) }) {
			return false
		}
	}
	return true
}

// MatchesAny says whether the whole value, as text, matches one of the
// expressions, which prefer the longest match.
func (v Value) MatchesAny(expressions []*regexp.Regexp) bool {
	text, ok := v.raw.(string)
	if !ok {
		text = encode(v.raw)
	}
	return slices.ContainsFunc(expressions, func(e *regexp.Regexp) bool {
		at := e.FindStringIndex(text)
		return at != nil && at[0] == 0 && at[1] == len(text)
	})
}

// Holds says whether the function agrees to every scalar of the value, by its
// pointer below it and its keyed digest. A list that is not empty holds what
// only a schema could name, so nothing agrees to it.
func (v Value) Holds(agrees func(below, digest string) bool) bool {
	return v.present && v.holds("", v.raw, agrees)
}

func (v Value) holds(below string, raw any, agrees func(below, digest string) bool) bool {
	switch t := raw.(type) {
	case map[string]any:
		for key, item := range t {
			if !v.holds(below+keyedpath.Pointer(keyedpath.FieldPath(key)), item, agrees) {
				return false
			}
		}
		return len(t) > 0
	case []any:
		return false
	}
	return agrees(below, v.scope.Key.Digest(raw))
}

// Equals compares with a raw value that was read elsewhere.
func (v Value) Equals(raw any, present bool) bool {
	return v.present == present && equal(v.raw, raw)
}

// Place asks where a value comes from. The answer names a place; it is the one
// use of the raw content beside comparing it.
func (v Value) Place(find func(value any) string) string { return find(v.raw) }

// ToWrite is the raw content, for the one who writes it to the cluster. It must
// not go anywhere else.
func (v Value) ToWrite() (content any, present bool) { return v.raw, v.present }

func equal(a, b any) bool {
	return value.Equals(value.NewValueInterface(a), value.NewValueInterface(b))
}
