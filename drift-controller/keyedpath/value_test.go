// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package keyedpath_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

func fieldpathValue(v any) value.Value { return value.NewValueInterface(v) }

type fields = map[string]any

func TestGet(t *testing.T) {
	root := fields{
		"spec": fields{
			"replicas": int64(3), "none": nil,
			"containers": []any{fields{"name": "api", "image": "a:1"}, fields{"name": "log", "image": "l:1"}},
			"ports": []any{
				fields{"containerPort": int64(53), "name": "tcp"},
				fields{"containerPort": int64(53), "protocol": "UDP", "name": "udp"},
			},
			"args": []any{"-v", "-x"},
		},
	}
	cases := map[string]struct {
		reason string
		path   fieldpath.Path
		want   any
		found  bool
	}{
		"the object":      {"the empty path is the object", path(), root, true},
		"field":           {"a field by its name", path("spec", "replicas"), int64(3), true},
		"null":            {"a null is there", path("spec", "none"), nil, true},
		"missing":         {"a field that is not there", path("spec", "paused"), nil, false},
		"below a scalar":  {"nothing is below a number", path("spec", "replicas", "x"), nil, false},
		"name on a list":  {"a list has no field names", path("spec", "args", "x"), nil, false},
		"item on a map":   {"a map has no items", path("spec", keyed("name", "api")), nil, false},
		"item by key":     {"wherever it stands in the list", path("spec", "containers", keyed("name", "log"), "image"), "l:1", true},
		"no such item":    {"another key", path("spec", "containers", keyed("name", "db")), nil, false},
		"key of a scalar": {"a string has no key field", path("spec", "args", keyed("name", "-v")), nil, false},
		"item by default": {
			"a key field that the item leaves out has its default", path("spec", "ports", keyed("containerPort", 53, "protocol", "TCP"), "name"), "tcp", true,
		},
		"item in full": {
			"an item that says the whole key goes before one that leaves a part to its default",
			path("spec", "ports", keyed("containerPort", 53, "protocol", "UDP"), "name"), "udp", true,
		},
		"item of a set":    {"by its value", path("spec", "args", fieldpathValue("-x")), "-x", true},
		"no item of a set": {"by its value", path("spec", "args", fieldpathValue("-y")), nil, false},
		"index":            {"by its place", path("spec", "args", 1), "-x", true},
		"index past end":   {"there is no third", path("spec", "args", 2), nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, found := keyedpath.Get(root, tc.path)
			if found != tc.found {
				t.Fatalf("%s: want found %t, got %t", tc.reason, tc.found, found)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCovers(t *testing.T) {
	set := fieldpath.NewSet(path("metadata", "labels", "app"), path("spec"), path("spec", "containers", keyed("name", "api")), path("spec", "containers", keyed("name", "api"), "image"))
	cases := map[string]struct {
		reason string
		set    *fieldpath.Set
		path   fieldpath.Path
		want   bool
	}{
		"member":           {"the path itself", set, path("metadata", "labels", "app"), true},
		"ancestor":         {"who owns a leaf has a part of what is above", set, path("metadata"), true},
		"item":             {"an item by its key", set, path("spec", "containers", keyed("name", "api")), true},
		"sibling":          {"another leaf", set, path("metadata", "labels", "tier"), false},
		"below a leaf":     {"nothing says so", set, path("metadata", "labels", "app", "x"), false},
		"another item":     {"another key", set, path("spec", "containers", keyed("name", "log")), false},
		"the object":       {"a set with anything in it covers the object", set, path(), true},
		"the object by {}": {"an empty set covers nothing", &fieldpath.Set{}, path(), false},
		"no set":           {"neither does none", nil, path("spec"), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := keyedpath.Covers(tc.set, tc.path); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestTopmost(t *testing.T) {
	set := fieldpath.NewSet(
		path("spec", "a"), path("spec", "a", "b"), path("spec", "a", "b", "c"),
		path("data", "x"), path("data", "y"), path("l", keyed("name", "one"), "v"),
	)
	var got []string
	for _, p := range keyedpath.Topmost(set) {
		got = append(got, keyedpath.Pointer(p))
	}
	if diff := cmp.Diff([]string{"/data/x", "/data/y", "/l/[name=one]/v", "/spec/a"}, got); diff != "" {
		t.Errorf("members below no other member (-want +got):\n%s", diff)
	}
}

func TestBelowAndItems(t *testing.T) {
	set := fieldpath.NewSet(
		path("env"), path("env", keyed("name", "A")), path("env", keyed("name", "A"), "value"),
		path("env", fieldpathValue("x")), path("env", "field"), path("args", 0),
	)
	below, ok := keyedpath.Below(set, path("env"))
	if !ok {
		t.Fatal("there is something below env")
	}
	var got []string
	for _, e := range keyedpath.Items(below) {
		got = append(got, e.String())
	}
	if diff := cmp.Diff([]string{`[name="A"]`, `[="x"]`}, got); diff != "" {
		t.Errorf("items have a key or a value of their own (-want +got):\n%s", diff)
	}
	if _, ok := keyedpath.Below(set, path("env", "field", "deeper")); ok {
		t.Error("there is nothing below a leaf")
	}
	if _, ok := keyedpath.Below(&fieldpath.Set{}, path()); ok {
		t.Error("there is nothing in an empty set")
	}
}
