// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		stream string
		want   []string
	}{
		"Documents": {"empty ones are passed over", "---\n# nothing\n---\napiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n", []string{"A", "B"}},
		"JSON":      {"JSON is YAML", `{"apiVersion": "v1", "kind": "A"}`, []string{"A"}},
		"Lists":     {"taken apart, nested ones too", "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A}\n- {apiVersion: v1, kind: SecretList, items: [{apiVersion: v1, kind: B}]}\n", []string{"A", "B"}},
		"NoList":    {"items of a kind that is no list stay", "apiVersion: v1\nkind: Menu\nitems: [{a: b}]\n", []string{"Menu"}},
		"Windows":   {"line ends of another system", "apiVersion: v1\r\nkind: A\r\n---\r\napiVersion: v1\r\nkind: B\r\n", []string{"A", "B"}},
		"Nothing":   {"an empty stream", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := Parse("f.yaml", []byte(tc.stream))
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			var got []string
			for _, object := range objects {
				got = append(got, object.Ref.Kind)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got\n%s", tc.reason, diff)
			}
		})
	}
}

func TestParseErrorsShowNoInput(t *testing.T) {
	for name, stream := range map[string]string{
		"Unclosed":   "kind: A\napiVersion: v1\n---\npassword: [hunter2",
		"Repeated":   "kind: A\napiVersion: v1\n---\nhunter2: a\nhunter2: b\n",
		"Indented":   "kind: A\napiVersion: v1\n---\nkind: A\n hunter2: a\n  hunter2: b\n",
		"Scalar":     "kind: A\napiVersion: v1\n---\nhunter2\n",
		"NoKind":     "kind: A\napiVersion: v1\n---\nhunter2: a\n",
		"BrokenList": "kind: A\napiVersion: v1\n---\nkind: List\napiVersion: v1\nitems: [hunter2]\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("f.yaml", []byte(stream))
			var broken *ParseError
			if !errors.As(err, &broken) {
				t.Fatalf("want a ParseError, got %v", err)
			}
			if broken.Document != 2 || broken.File != "f.yaml" {
				t.Errorf("want document 2 of f.yaml, got %d of %s", broken.Document, broken.File)
			}
			if strings.Contains(err.Error(), "hunt") {
				t.Errorf("the error quotes its input: %v", err)
			}
		})
	}
}

func TestPointer(t *testing.T) {
	got := Pointer("/metadata").Child("annotations", "a.b/c~d", 3)
	if want := Pointer("/metadata/annotations/a.b~1c~0d/3"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
