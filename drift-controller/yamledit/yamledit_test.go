// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package yamledit_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/diff"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/drift-controller/yamledit"
)

var update = flag.Bool("update", false, "write the golden files anew")

// path reads a pointer: /spec/containers/[name=a]/image, a number is an index.
func path(pointer string) fieldpath.Path {
	var p fieldpath.Path
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		inner, isItem := strings.CutPrefix(token, "[")
		name, value, _ := strings.Cut(strings.TrimSuffix(inner, "]"), "=")
		number, err := strconv.Atoi(token)
		switch {
		case isItem:
			p = append(p, fieldpath.MakePathOrDie(fieldpath.KeyByFields(name, value))...)
		case err == nil:
			p = append(p, fieldpath.MakePathOrDie(number)...)
		default:
			p = append(p, fieldpath.MakePathOrDie(strings.ReplaceAll(token, "~1", "/"))...)
		}
	}
	return p
}

// edit reads "LINE POINTER = YAML" and "LINE POINTER gone".
func edit(t *testing.T, text string) (line int, e yamledit.Edit) {
	t.Helper()
	where, value, sets := strings.Cut(text, " = ")
	number, pointer, _ := strings.Cut(strings.TrimSuffix(where, " gone"), " ")
	line, err := strconv.Atoi(number)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	e = yamledit.Edit{Path: path(pointer), Remove: !sets}
	if sets {
		if err := yaml.Unmarshal([]byte(value), &e.Value); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	return line, e
}

// TestGolden edits files as people write them, and shows what changed: the
// lines of the edit and no other. Refresh with -update.
func TestGolden(t *testing.T) {
	edits := map[string][]string{
		"values.yaml": {
			"0 /env/DB_HOST = pgbouncer-primary", "0 /env/DB_PORT = 6433", "0 /env/QUOTED = it's", "0 /env/SINGLE = it's", "0 /env/FLAG = \"yes\"",
			"0 /env/VERSION = \"1.10\"", "0 /env/NEW_KEY = fresh", "0 /image/tag = v2", "0 /resources/limits/memory = 2Gi", "0 /resources/requests/cpu = 1",
			"0 /extraEnv/[name=A] = {name: A, value: b}", "0 /args/1 = --quiet", "0 /args/5 = --more", "0 /nothing/here = 1", "0 /env/OLD gone", "0 /hosts/0 gone",
			"0 /inline/b = 3", "0 /inline/c = [x, \"y z\"]", "0 /inline/a gone", "0 /inline/b gone", "0 /script = \"a\\nb\\n\"", "0 /umlaut/ä = ü", "0 /wrapped = short", "0 /env = {}",
		},
		"objects.yaml": {
			"3 /data/DB_HOST = new", "3 /data/added = \"line 1\\nline 2\\n\"", "3 /data/app.conf = \"first\\nsecond changed\\nthird\\n\"", "3 /metadata/labels/a~1b = c",
			"3 /metadata/annotations/note gone", "18 /spec/template/spec/containers/[name=web]/image = web:2", "18 /spec/template/spec/containers/[name=web]/env/[name=B]/value = \"3\"",
			"18 /spec/template/spec/containers/[name=web]/env/[name=C] = {name: C, value: \"4\"}", "18 /spec/template/spec/containers/[name=web]/env/[name=A] gone",
			"18 /spec/template/spec/containers/[name=web]/env/[name=B] gone",
			"18 /spec/template/spec/containers/[name=web]/name = api", "18 /spec/template/spec/containers/[name=log]/image gone", "18 /spec/template/spec/containers/[name=log]/args = [a, b]",
			"18 /spec/replicas = 5", "18 /spec/paused = true",
		},
		"list.json":    {"5 /data/A = \"2\"", "5 /data/B = x", "5 /data/A gone", "9 /spec/ports/[name=http]/port = 81", "9 /spec/ports/0/name gone"},
		"crlf.yaml":    {"1 /data/HOST = other", "1 /data/NEW = \"a\\nb\\n\"", "1 /data/PORT gone"},
		"anchors.yaml": {"1 /prod/own = 2", "1 /prod/host = other", "1 /copy = mine", "1 /prod/fresh = 1"},
	}
	for file, list := range edits {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			var story strings.Builder
			for _, text := range list {
				line, e := edit(t, text)
				got, err := yamledit.Apply(data, line, e)
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				fmt.Fprintf(&story, "# %s\n", text)
				changed := string(diff.Diff("before", data, "after", got))
				_, changed, _ = strings.Cut(changed, "+++ after\n")
				story.WriteString(strings.ReplaceAll(changed, "\r", "\\r"))
			}
			golden := filepath.Join("testdata", file+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(story.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), story.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

// TestRefused: what cannot be edited for certain is not edited.
func TestRefused(t *testing.T) {
	const shared = "a: &x\n  k: 1\nb: *x\nc:\n  <<: *x\n"
	cases := map[string]struct {
		reason, text, edit string
		want               error
	}{
		"anchored value":   {"two places would change", shared, "1 /a/k = 2", yamledit.ErrShared},
		"through an alias": {"the value stands elsewhere", shared, "1 /b/k = 2", yamledit.ErrShared},
		"merged key":       {"it is not written there", shared, "1 /c/k gone", yamledit.ErrShape},
		"anchored scalar":  {"its alias would follow", "a: &x 1\nb: *x\n", "1 /a = 2", yamledit.ErrShared},
		"no such line":     {"the file has moved on", "a: 1\n", "7 /a = 2", yamledit.ErrNoDocument},
		"not there":        {"nothing to take away", "a: 1\n", "1 /b gone", yamledit.ErrShape},
		"below a scalar":   {"text has no fields", "a: x\n", "1 /a/b = 1", yamledit.ErrShape},
		"field of a list":  {"a list has no names", "a: [x]\n", "1 /a/b = 1", yamledit.ErrShape},
		"all of it":        {"a document without content is none", "a: 1\n", "1 /a gone", yamledit.ErrShape},
		"syntax":           {"not YAML", "a: [\n", "1 /a = 1", yamledit.ErrSyntax},
		"equal keys":       {"which one counts is not ours to say", "a: 1\na: 2\n", "1 /a = 3", yamledit.ErrSyntax},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			line, e := edit(t, tc.edit)
			if got, err := yamledit.Apply([]byte(tc.text), line, e); !errors.Is(err, tc.want) {
				t.Errorf("%s: want %v, got %v and %q", tc.reason, tc.want, err, got)
			}
		})
	}
}

// TestNoDocumentYet: a values file may hold nothing but comments.
func TestNoDocumentYet(t *testing.T) {
	for text, want := range map[string]string{
		"":             "a:\n  b: 1\n",
		"# production": "# production\na:\n  b: 1\n",
		"# a\r\n":      "# a\r\na:\r\n  b: 1\r\n",
	} {
		got, err := yamledit.Apply([]byte(text), 0, yamledit.Edit{Path: path("/a/b"), Value: int64(1)})
		if err != nil || string(got) != want {
			t.Errorf("%q: want %q, got %q %v", text, want, got, err)
		}
	}
}

// FuzzApply: whatever the text, an edit ends, and changes what it says.
func FuzzApply(f *testing.F) {
	for _, file := range []string{"values.yaml", "objects.yaml", "list.json", "crlf.yaml", "anchors.yaml"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "/env/DB_HOST", "x: y\n", false)
		f.Add(data, "/data/A", " lead", true)
	}
	f.Add([]byte("a: |+\n  x\n\n\nb: 'it''s'\nc: \"\\\"\"\n"), "/a", "y\n\n", false)
	f.Add([]byte("- a\n- - b\n  - c\n"), "/1/0", "z", true)
	f.Add([]byte("\ufeffä: {ö: [1, 2, ], }\n"), "/ä/ö/1", "z", true)
	f.Fuzz(func(t *testing.T, data []byte, pointer, value string, remove bool) {
		if len(data) > 4096 || len(pointer) > 64 {
			return
		}
		e := yamledit.Edit{Path: path(pointer), Value: value, Remove: remove}
		got, err := yamledit.Apply(data, 0, e)
		if err != nil || remove {
			return
		}
		// The proof has held; a second time there is nothing to change.
		again, err := yamledit.Apply(got, 0, e)
		if err == nil && len(again) > len(got)+len(value)+64 {
			t.Fatalf("the same edit grows the text again:\n%s\n%s", got, again)
		}
	})
}
