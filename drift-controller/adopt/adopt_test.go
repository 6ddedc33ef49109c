// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/adopt"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

var update = flag.Bool("update", false, "write the golden files anew")

// story is a source, what live has, and what came of it.
type story struct {
	archive *txtar.Archive
	source  adopt.Source
	changes []adopt.Change
}

func read(t *testing.T, file string) story {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files, values := fstest.MapFS{}, fstest.MapFS{}
	s := story{archive: archive, source: adopt.Source{Files: files, Dir: "app", Options: render.Options{Namespace: "shop"}}}
	s.source.Options.Helm.ReleaseName = "shop"
	for _, f := range archive.Files {
		switch name, inValues := strings.CutPrefix(f.Name, "second/"); {
		case f.Name == "changes":
			for line := range strings.Lines(string(f.Data)) {
				s.changes = append(s.changes, change(t, strings.TrimSpace(line)))
			}
		case f.Name == "spec":
			var spec v1alpha1.Render
			if err := yaml.UnmarshalStrict(f.Data, &spec); err != nil {
				t.Fatal(err)
			}
			if s.source.Options, err = render.OptionsFrom(&spec, "shop", "shop", render.External{}); err != nil {
				t.Fatal(err)
			}
		case f.Name == "want":
		case inValues:
			values[name] = &fstest.MapFile{Data: f.Data}
		default:
			files[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	if len(values) > 0 {
		s.source.Options.Helm.ValuesFS = values
	}
	return s
}

// change reads "Kind.group name /path = YAML" and "Kind name /path gone".
func change(t *testing.T, text string) adopt.Change {
	t.Helper()
	where, value, sets := strings.Cut(text, " = ")
	fields := strings.Fields(strings.TrimSuffix(where, " gone"))
	kind, group, _ := strings.Cut(fields[0], ".")
	c := adopt.Change{ID: manifest.ID{Group: group, Kind: kind, Namespace: "shop", Name: fields[1]}, Remove: !sets}
	for token := range strings.SplitSeq(strings.TrimPrefix(fields[2], "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		inner, isItem := strings.CutPrefix(token, "[")
		name, key, _ := strings.Cut(strings.TrimSuffix(inner, "]"), "=")
		number, err := strconv.Atoi(token)
		switch {
		case isItem:
			var value any
			if err := yaml.Unmarshal([]byte(key), &value); err != nil {
				t.Fatal(err)
			}
			if number, isNumber := value.(float64); isNumber {
				value = int64(number)
			}
			c.Path = append(c.Path, fieldpath.MakePathOrDie(fieldpath.KeyByFields(name, value))...)
		case err == nil:
			c.Path = append(c.Path, fieldpath.MakePathOrDie(number)...)
		default:
			c.Path = append(c.Path, fieldpath.MakePathOrDie(token)...)
		}
	}
	if sets {
		if err := yaml.Unmarshal([]byte(value), &c.Value); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	return c
}

func (s story) tell(t *testing.T, result adopt.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, a := range result.Adopted {
		fmt.Fprintf(&b, "%s\n  goes to %s\n", a.Change, a.Place)
		for _, follows := range a.Follows {
			fmt.Fprintf(&b, "  follows %s\n", follows)
		}
	}
	for _, l := range result.Left {
		fmt.Fprintf(&b, "%s\n  stays: %s\n", l.Change, l.Reason)
	}
	for _, f := range result.Files {
		before := "a/" + f.Name
		if f.Before == nil {
			before = "/dev/null"
		}
		b.Write(diff.Diff(before, f.Before, "b/"+f.Name, f.After))
	}
	return b.Bytes()
}

// TestStories: what live has goes to the one place that says so, and the source
// then renders it. Refresh with -update.
func TestStories(t *testing.T) {
	stories, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(stories) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range stories {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			s := read(t, file)
			result, err := adopt.Make(t.Context(), s.source, s.changes)
			if err != nil {
				t.Fatal(err)
			}
			got := s.tell(t, result)
			want := []byte(nil)
			for i, f := range s.archive.Files {
				if f.Name == "want" {
					want = f.Data
					s.archive.Files[i].Data = got
				}
			}
			if *update {
				if want == nil {
					s.archive.Files = append(s.archive.Files, txtar.File{Name: "want", Data: got})
				}
				if err := os.WriteFile(file, txtar.Format(s.archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", s.archive.Comment, diff)
			}
		})
	}
}

// TestPatchedRenders: with the files in place, there is nothing left to adopt.
func TestPatchedRenders(t *testing.T) {
	s := read(t, "testdata/helm-traced.txtar")
	first, err := adopt.Make(t.Context(), s.source, s.changes)
	if err != nil {
		t.Fatal(err)
	}
	s.source.Files = adopt.Patched(s.source.Files, first.Files, false)
	second, err := adopt.Make(t.Context(), s.source, s.changes)
	if err != nil {
		t.Fatal(err)
	}
	if len(second.Files) > 0 {
		t.Errorf("a second time it changes %s", second.Files[0].After)
	}
	info, err := fs.Stat(s.source.Files, "app/values-prod.yaml")
	if err != nil || info.Size() != int64(len(first.Files[0].After)) {
		t.Errorf("the patched file is not the one that is seen: %v %v", info, err)
	}
	if _, err := fs.ReadFile(s.source.Files, "app/none"); err == nil {
		t.Error("a file that is not there was read")
	}
}
