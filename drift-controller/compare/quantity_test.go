// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

const quantitySchema = `{"x.v1.Cache": {
	"x-kubernetes-group-version-kind": [{"group": "x", "version": "v1", "kind": "Cache"}],
	"properties": {"spec": {"properties": {
		"memory": {"x-kubernetes-int-or-string": true, "pattern": "^([KMGTPE]i|[numkMGTPE])$"},
		"share": {"x-kubernetes-int-or-string": true},
		"name": {"type": "string"},
		"limits": {"additionalProperties": {"x-kubernetes-int-or-string": true, "pattern": "KMGTPE"}},
		"items": {"items": {"properties": {"size": {"format": "quantity"}}}}
	}}}},
	"x.v1.Plain": {"x-kubernetes-group-version-kind": [{"group": "x", "version": "v1", "kind": "Plain"}], "properties": {"a": {"type": "string"}}}
}`

// TestQuantities: only where the schema says so are two texts one number.
func TestQuantities(t *testing.T) {
	var schemas map[string]*spec.Schema
	if err := json.Unmarshal([]byte(quantitySchema), &schemas); err != nil {
		t.Fatal(err)
	}
	found := QuantitiesIn(schemas)
	if len(found) != 1 {
		t.Errorf("a kind without quantities takes no room: %v", found)
	}
	root := found[schema.GroupVersionKind{Group: "x", Version: "v1", Kind: "Cache"}]
	type fields = map[string]any
	cases := map[string]struct {
		reason string
		path   []string
		a, b   any
		want   bool
	}{
		"suffixes":        {"1024Mi is 1Gi", []string{"spec", "memory"}, "1024Mi", "1Gi", true},
		"number and text": {"1 is 1000m", []string{"spec", "memory"}, int64(1), "1000m", true},
		"another number":  {"1M is not 1Mi", []string{"spec", "memory"}, "1M", "1Mi", false},
		"no number":       {"what cannot be read is compared as it is", []string{"spec", "memory"}, "x", "y", false},
		"values of a map": {"each of them", []string{"spec", "limits", "cpu"}, "1", "1000m", true},
		"in a list":       {"a list without keys is compared whole", []string{"spec", "items"}, []any{fields{"size": "1k"}}, []any{fields{"size": "1000"}}, true},
		"beside it":       {"another field of the item differs", []string{"spec", "items"}, []any{fields{"size": "1k", "x": "1"}}, []any{fields{"size": "1000", "x": "1000m"}}, false},
		"more items":      {"a longer list is another one", []string{"spec", "items"}, []any{fields{"size": "1k"}}, []any{}, false},
		"a missing field": {"as is a map with other keys", []string{"spec", "limits"}, fields{"cpu": "1"}, fields{"memory": "1"}, false},
		"no quantity":     {"a number or a text is no quantity", []string{"spec", "share"}, "1", "1000m", false},
		"plain text":      {"neither is text", []string{"spec", "name"}, "1", "1000m", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := root.at(keyedpath.FieldPath(tc.path...)).same(tc.a, tc.b); got != tc.want {
				t.Errorf("%s: %v and %v: same %t", tc.reason, tc.a, tc.b, got)
			}
		})
	}
}
