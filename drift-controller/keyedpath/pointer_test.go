// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package keyedpath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// path builds a path from field names, keys, values and indexes.
func path(parts ...any) fieldpath.Path { return fieldpath.MakePathOrDie(parts...) }

var keyed = fieldpath.KeyByFields

func TestPointer(t *testing.T) {
	cases := map[string]struct {
		reason string
		path   fieldpath.Path
		want   string
		tokens []string
	}{
		"empty":  {"the empty path is the object itself", path(), "", nil},
		"fields": {"names stand as they are", path("spec", "replicas"), "/spec/replicas", []string{"spec", "replicas"}},
		"slash in a key": {
			"a label key with a slash stays one token", path("metadata", "labels", "app.kubernetes.io/name"),
			"/metadata/labels/app.kubernetes.io~1name", []string{"metadata", "labels", "app.kubernetes.io/name"},
		},
		"tilde":       {"the escape sign is escaped itself, so that ~1 in a name is no slash", path("data", "a~1b"), "/data/a~01b", []string{"data", "a~1b"}},
		"empty field": {"a key of a free map may be empty", path("data", ""), "/data/", []string{"data", ""}},
		"only an empty field": {
			"it is not the object itself", path(""), "/", []string{""},
		},
		"item by one key": {
			"as people write it in a rule", path("spec", "containers", keyed("name", "api"), "image"),
			"/spec/containers/[name=api]/image", []string{"spec", "containers", "[name=api]", "image"},
		},
		"item by two keys": {
			"keys in the order of the path, numbers without quotes", path("spec", "ports", keyed("containerPort", 53, "protocol", "UDP")),
			"/spec/ports/[containerPort=53,protocol=UDP]", []string{"spec", "ports", "[containerPort=53,protocol=UDP]"},
		},
		"slash in an item": {
			"an item stays one token, too", path("spec", "mounts", keyed("mountPath", "/var/run")),
			"/spec/mounts/[mountPath=~1var~1run]", []string{"spec", "mounts", "[mountPath=/var/run]"},
		},
		"item of a set": {"a scalar item is its value", path("metadata", "finalizers", fieldpathValue("a/b")), "/metadata/finalizers/[=a~1b]", []string{"metadata", "finalizers", "[=a/b]"}},
		"index":         {"items of an atomic list have nothing else", path("spec", "args", 2), "/spec/args/2", []string{"spec", "args", "2"}},
		"null key":      {"a key that is null is said to be", path("l", keyed("k", nil)), "/l/[k=null]", []string{"l", "[k=null]"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := keyedpath.Pointer(tc.path)
			if got != tc.want {
				t.Errorf("%s: want %q, got %q", tc.reason, tc.want, got)
			}
			if diff := cmp.Diff(tc.tokens, keyedpath.Tokens(got)); diff != "" {
				t.Errorf("%s: tokens (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestWithin(t *testing.T) {
	cases := map[string]struct {
		reason            string
		pointer, ancestor string
		want              bool
	}{
		"itself":          {"a rule for a field hides the field", "/spec/replicas", "/spec/replicas", true},
		"below":           {"and what is in it", "/spec/a/b", "/spec/a", true},
		"above":           {"but not what it is in", "/spec", "/spec/a", false},
		"longer name":     {"names are compared whole", "/spec/replicasMax", "/spec/replicas", false},
		"whole object":    {"everything is in the object", "/spec/a", "", true},
		"object itself":   {"the object is in itself", "", "", true},
		"below an item":   {"items count as names", "/l/[name=a]/x", "/l/[name=a]", true},
		"another item":    {"items are compared whole", "/l/[name=ab]", "/l/[name=a]", false},
		"escaped a slash": {"a slash in a name does not make a child", "/labels/a~1b", "/labels/a", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := keyedpath.Within(tc.pointer, tc.ancestor); got != tc.want {
				t.Errorf("%s: want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

// FuzzPointer: whatever names a path has, its pointer gives them back, and a
// pointer leads below another one just where the path does.
func FuzzPointer(f *testing.F) {
	for _, seed := range []string{"", "spec\nreplicas", "a/b\n~1\n~01\n~", "[name=x]\n[=/]\n0", "\n", "data\n", "ü\n\x00\n\xff"} {
		f.Add(seed, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, cut uint8) {
		names := strings.Split(text, "\n")
		if got := keyedpath.Tokens(keyedpath.Pointer(keyedpath.FieldPath(names...))); !cmp.Equal(names, got) {
			t.Fatalf("fields: want %q, got %q", names, got)
		}
		items, want := make([]any, 0, len(names)), make([]string, 0, len(names))
		for _, name := range names {
			items, want = append(items, keyed("name", name)), append(want, "[name="+name+"]")
		}
		if got := keyedpath.Tokens(keyedpath.Pointer(path(items...))); !cmp.Equal(want, got) {
			t.Fatalf("items: want %q, got %q", want, got)
		}
		at := int(cut) % (len(names) + 1)
		above := keyedpath.Pointer(keyedpath.FieldPath(names[:at]...))
		if !keyedpath.Within(keyedpath.Pointer(keyedpath.FieldPath(names...)), above) {
			t.Fatalf("%q does not lie within its own %q", names, above)
		}
		// Any text that a person writes into a rule has tokens, and they have
		// a pointer that means the same.
		tokens := keyedpath.Tokens(text)
		if got := keyedpath.Tokens(keyedpath.Pointer(keyedpath.FieldPath(tokens...))); !cmp.Equal(tokens, got) {
			t.Fatalf("tokens of %q: want %q, got %q", text, tokens, got)
		}
	})
}
