// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

var testKey = mask.Key("0123456789abcdef0123456789abcdef")

// some is a value that is there; none is a side without it.
func some(raw any) Value {
	return Value{raw: raw, present: true, tokens: []string{"spec", "x"}, scope: mask.Scope{Key: testKey}}
}

var none = Value{tokens: []string{"spec", "x"}, scope: mask.Scope{Key: testKey}}

func secretly(raw any) Value {
	return Value{raw: raw, present: true, tokens: []string{"data", "x"}, scope: mask.Scope{Key: testKey, Secret: true}}
}

func TestReport(t *testing.T) {
	long := strings.Repeat("same line\n", 500)
	digest := testKey.Digest
	hidden := func(v any) string { return mask.Token(testKey.Digest(v)) }
	cases := map[string]struct {
		reason      string
		this, other Value
		want        *drift.Value
	}{
		"absent":         {"a side without the field shows nothing", none, some(1), nil},
		"null":           {"a null is there", some(nil), none, &drift.Value{JSON: "null"}},
		"text":           {"as JSON, so that \"5\" is not 5", some("5"), some(int64(5)), &drift.Value{JSON: `"5"`}},
		"map":            {"in one line, keys in order", some(map[string]any{"b": int64(1), "a": []any{true}}), none, &drift.Value{JSON: `{"a":[true],"b":1}`}},
		"secret":         {"masked, and its digest still tells whether it changed", secretly("aHVudGVy"), secretly("b3RoZXI="), &drift.Value{JSON: `"` + hidden("aHVudGVy") + `"`, Digest: digest("aHVudGVy"), Masked: true}},
		"part is secret": {"the rest is readable", some("a://u:hunter2@h"), none, &drift.Value{JSON: `"a://u:` + hidden("hunter2") + `@h"`, Digest: digest("a://u:hunter2@h"), Masked: true}},
		"long text": {
			"its first differing line, and where", some(long + "mine\nrest"), some(long + "theirs\nrest"),
			&drift.Value{JSON: `"mine"`, Digest: digest(long + "mine\nrest"), Line: 501},
		},
		"long, other absent": {"its first line", some(long), none, &drift.Value{JSON: `"same line"`, Digest: digest(long), Line: 1}},
		"long, cut off":      {"where the other goes on this one ends", some(strings.TrimSuffix(long, "\n")), some(long), &drift.Value{JSON: `""`, Digest: digest(strings.TrimSuffix(long, "\n")), Line: 500}},
		"long secret":        {"its mask is short", secretly(long), none, &drift.Value{JSON: `"` + hidden(long) + `"`, Digest: digest(long), Masked: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.this.Report(tc.other)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReportFitsItsField: the schema of a report refuses a longer text, and
// with it the whole page.
func TestReportFitsItsField(t *testing.T) {
	for name, unit := range map[string]string{"letters": "x", "angle brackets": "<", "control signs": "\x01", "quotes": `"`, "broken text": "\xff", "wide signs": "日", "lines": "\n", "wide and odd": "<日"} {
		for _, length := range []int{100, 1023, 1024, 1025, 4093, 4094, 4095, 4096, 9000, 100_000} {
			v := some(strings.Repeat(unit, length))
			got := v.Report(some("other"))
			if n := len(got.JSON); n > longest {
				t.Errorf("%d %s: %d bytes, at most %d", length, name, n, longest)
			}
			if !json.Valid([]byte(got.JSON)) {
				t.Errorf("%d %s: no JSON: %.40q", length, name, got.JSON)
			}
			if got.Digest == "" && len(unit)*length > longest {
				t.Errorf("%d %s: cut, and no digest tells so", length, name)
			}
		}
	}
}

func TestProperties(t *testing.T) {
	cases := map[string]struct {
		reason                      string
		value                       Value
		present, empty, placeholder bool
	}{
		"absent":      {"nothing", none, false, true, true},
		"null":        {"a null holds nothing", some(nil), true, true, true},
		"empty text":  {"an empty text holds nothing", some(""), true, true, true},
		"empty map":   {"an empty map holds nothing", some(map[string]any{}), true, true, true},
		"empty list":  {"an empty list holds nothing", some([]any{}), true, true, true},
		"zero":        {"zero is a number", some(int64(0)), true, false, false},
		"false":       {"false is an answer", some(false), true, false, false},
		"text":        {"a text", some("x"), true, false, false},
		"line break":  {"charts put a line break into a CA bundle that somebody will fill in", some("Cg=="), true, false, true},
		"filled list": {"a list of one empty text", some([]any{""}), true, false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v := tc.value
			if v.Present() != tc.present || v.Empty() != tc.empty || v.Placeholder() != tc.placeholder || (v.Digest() != "") != tc.present {
				t.Errorf("%s: present %t, empty %t, placeholder %t, digest %q", tc.reason, v.Present(), v.Empty(), v.Placeholder(), v.Digest())
			}
		})
	}
}

func TestContains(t *testing.T) {
	item := func(name string) any { return map[string]any{"name": name} }
	cases := map[string]struct {
		reason      string
		this, other any
		want        bool
	}{
		"more":        {"what Git has and something appended", []any{item("a"), item("b")}, []any{item("a")}, true},
		"order":       {"in any order", []any{item("b"), item("a")}, []any{item("a"), item("b")}, true},
		"less":        {"something of Git's is gone", []any{item("b")}, []any{item("a"), item("b")}, false},
		"changed":     {"something of Git's is another", []any{item("c")}, []any{item("a")}, false},
		"empty":       {"Git has an empty list", []any{item("a")}, []any{}, true},
		"not a list":  {"a map is no list", item("a"), []any{}, false},
		"not a list2": {"neither side", []any{}, "x", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := some(tc.this).Contains(some(tc.other)); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestMatchesAny(t *testing.T) {
	cases := map[string]struct {
		reason      string
		value       any
		expressions []string
		want        bool
	}{
		"whole":       {"the expression is the value", "info", []string{"info"}, true},
		"part":        {"a part is not enough", "information", []string{"info"}, false},
		"alternative": {"the second of two that begin alike", "debug", []string{"d|debug"}, true},
		"lazy":        {"a lazy expression may be long", "aaa", []string{"a+?"}, true},
		"another":     {"one of several", "b", []string{"a", "b"}, true},
		"number":      {"a number by its text", int64(3), []string{"[1-5]"}, true},
		"list":        {"a list by its JSON", []any{"a"}, []string{`\["a"\]`}, true},
		"lines":       {"a text of lines is one value", "a\nb", []string{"a"}, false},
		"none":        {"no expression matches nothing", "a", nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var compiled []*regexp.Regexp
			for _, text := range tc.expressions {
				compiled = append(compiled, regexp.MustCompile(text))
				compiled[len(compiled)-1].Longest()
			}
			if got := some(tc.value).MatchesAny(compiled); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestEquals(t *testing.T) {
	if !some(int64(1)).Equals(1.0, true) || some("1").Equals(int64(1), true) {
		t.Error("numbers are equal by value, and a text is no number")
	}
	if none.Equals(nil, true) || !none.Equals(nil, false) || some(nil).Equals(nil, false) {
		t.Error("absent and null are not the same")
	}
	if some("x").Place(func(v any) string { return fmt.Sprint(v, "?") }) != "x?" {
		t.Error("the place is asked for by the raw value")
	}
}
