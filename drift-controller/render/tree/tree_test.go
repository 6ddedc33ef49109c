// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package tree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

func never() error { return nil }

func TestJoin(t *testing.T) {
	cases := map[string]struct {
		base, reference string
		want            string
		kind            error
	}{
		"Below":      {"a", "b.yaml", "a/b.yaml", nil},
		"Beside":     {"a/b", "../c", "a/c", nil},
		"Root":       {"a", "..", ".", nil},
		"Here":       {"a", "./", "a", nil},
		"Above":      {"a", "../..", "", tree.ErrLeaves},
		"AboveAndIn": {".", "../a", "", tree.ErrLeaves},
		"Absolute":   {"a", "/etc/passwd", "", tree.ErrLeaves},
		"LikeDots":   {"a", "..b", "a/..b", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := tree.Join(tc.base, tc.reference)
			if got != tc.want || !errors.Is(err, tc.kind) {
				t.Errorf("want %q %v, got %q %v", tc.want, tc.kind, got, err)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"out": "/etc/passwd", "loop": "loop", "dangling": "gone"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	cases := map[string]error{
		"pipe": tree.ErrUnreadable,
		"gone": tree.ErrMissing, "dangling": tree.ErrMissing, "folder": tree.ErrUnreadable, "out": tree.ErrLeaves, "loop": tree.ErrUnreadable,
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := tree.New(root.FS(), tree.Limits{}, never).ReadFile(name); !errors.Is(err, want) {
				t.Errorf("want %v, got %v", want, err)
			}
		})
	}
}

// TestPointers: the text in the place of a file that Git LFS holds is no manifest.
func TestPointers(t *testing.T) {
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
	cases := map[string]struct {
		reason, name, content string
		kind                  error
	}{
		"manifest": {"it would read as a mapping without a kind", "m/app.yaml", pointer, tree.ErrUnreadable},
		"template": {"it would read as a text without a value", "t/app.tpl", pointer, tree.ErrUnreadable},
		"picture":  {"nobody parses it", "files/logo.png", pointer, nil},
		"about it": {"a pointer begins with the version", "m/app.yaml", "# " + pointer, nil},
		"large":    {"no pointer has a kilobyte", "m/app.yaml", pointer + strings.Repeat("x", 1024), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := tree.New(fstest.MapFS{tc.name: {Data: []byte(tc.content)}}, tree.Limits{}, never)
			if _, err := r.ReadFile(tc.name); !errors.Is(err, tc.kind) {
				t.Errorf("got %v, want %v: %s", err, tc.kind, tc.reason)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	stop := context.DeadlineExceeded
	r := tree.New(fstest.MapFS{"a": {}}, tree.Limits{}, func() error { return stop })
	_, readErr := r.ReadFile("a")
	_, kindErr := r.Kind("a")
	_, listErr := r.List(".")
	for _, err := range []error{readErr, kindErr, listErr} {
		if !errors.Is(err, stop) {
			t.Errorf("want %v, got %v", stop, err)
		}
	}
}

func TestInputs(t *testing.T) {
	files := fstest.MapFS{"d/a": {Data: []byte("a")}, "d/b": {Data: []byte("b")}, "other": {Data: []byte("o")}}
	r := tree.New(files, tree.Limits{}, never)
	if _, err := r.List("d"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.ReadFile("d/a"); err != nil {
		t.Fatal(err)
	}
	if kind, err := r.Kind("d/x"); kind != tree.Absent || err != nil {
		t.Fatalf("want absent, got %v %v", kind, err)
	}
	inputs := r.Inputs()
	if diff := cmp.Diff([]string{"d/a"}, inputs.Files()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	cases := map[string]struct {
		reason string
		change fstest.MapFS
		want   bool
	}{
		"Same":     {"nothing changed", fstest.MapFS{}, true},
		"NotRead":  {"a content that nobody read", fstest.MapFS{"d/b": {Data: []byte("B")}}, true},
		"NotAsked": {"a file that nobody asked for", fstest.MapFS{"other": {Data: []byte("O")}}, true},
		"Content":  {"a content that was read", fstest.MapFS{"d/a": {Data: []byte("A")}}, false},
		"Longer":   {"another size", fstest.MapFS{"d/a": {Data: []byte("aa")}}, false},
		"Member":   {"a new member of a folder that was listed", fstest.MapFS{"d/c": {}}, false},
		"Kind":     {"what was absent is there", fstest.MapFS{"d/x/y": {}}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			now := fstest.MapFS{}
			for _, part := range []fstest.MapFS{files, tc.change} {
				for name, file := range part {
					now[name] = file
				}
			}
			if got := inputs.Verify(now); got != tc.want {
				t.Errorf("%s: want %v, got %v", tc.reason, tc.want, got)
			}
		})
	}
	if (tree.Inputs{}).Verify(files) {
		t.Error("nothing looked at is no proof")
	}
}
