// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestVariantsDifferAndKeepTheirKind(t *testing.T) {
	tests := map[string]struct {
		reason string
		value  any
		first  any
	}{
		"text":   {reason: "longer", value: "info", first: "info-edited"},
		"word":   {reason: "the other word", value: "true", first: "false"},
		"number": {reason: "one more", value: int64(2), first: int64(3)},
		"truth":  {reason: "the opposite", value: true, first: false},
		"list":   {reason: "one item changed", value: []any{"a", "b"}, first: []any{"a-edited", "b"}},
		"map":    {reason: "one field changed", value: map[string]any{"a": "x", "b": int64(1)}, first: map[string]any{"a": "x-edited", "b": int64(1)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			all := variants(test.value)
			if len(all) == 0 || !cmp.Equal(all[0], test.first) {
				t.Fatalf("%s: got %v, want %v first", test.reason, all, test.first)
			}
			for _, v := range all {
				if cmp.Equal(v, test.value) {
					t.Errorf("%v is no change", v)
				}
			}
		})
	}
	if got := variants(nil); got != nil {
		t.Errorf("there is nothing to change in null: %v", got)
	}
}

func TestVariantsOfQuantities(t *testing.T) {
	if all := variants("500m"); !cmp.Equal(all[2], any("1")) {
		t.Errorf("a quantity has a quantity among its variants: %v", all)
	}
}

func TestValue(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"list": []any{map[string]any{"a/b": "x"}}}}}
	if v, isText := Value(o, "/spec/list/0/a~1b"); v != "x" || !isText {
		t.Errorf("got %v, %v", v, isText)
	}
	for _, path := range []string{"/spec/list/1", "/spec/list/x", "/spec/none/0"} {
		if v, _ := Value(o, path); v != nil {
			t.Errorf("%s leads to %v", path, v)
		}
	}
}
