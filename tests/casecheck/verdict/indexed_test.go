// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import "testing"

func TestIndexed(t *testing.T) {
	list := func(names ...string) map[string]any {
		var items []any
		for _, name := range names {
			items = append(items, map[string]any{"name": name, "ports": []any{map[string]any{"port": int64(53)}}})
		}
		return map[string]any{"spec": map[string]any{"items": items, "set": []any{"x", "y"}}, "metadata": map[string]any{}}
	}
	live, desired := list("shell", "app"), list("app", "gone")
	tests := map[string]struct{ reason, pointer, want string }{
		"plain":     {reason: "fields stay", pointer: "/metadata/labels/a.b~1c", want: "/metadata/labels/a.b~1c"},
		"live":      {reason: "the position in live", pointer: "/spec/items/[name=app]/image", want: "/spec/items/1/image"},
		"desired":   {reason: "in desired, if live has none", pointer: "/spec/items/[name=gone]", want: "/spec/items/1"},
		"scalar":    {reason: "an item of a set", pointer: "/spec/set/[=y]", want: "/spec/set/1"},
		"defaulted": {reason: "a key field that has its default", pointer: "/spec/items/[name=app]/ports/[port=53,protocol=TCP]", want: "/spec/items/1/ports/0"},
		"atomic":    {reason: "a position already", pointer: "/spec/items/1/image", want: "/spec/items/1/image"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Indexed(test.pointer, live, desired); got != test.want {
				t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
			}
		})
	}
}
