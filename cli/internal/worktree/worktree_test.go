// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// repository is a real one, with a commit that the working tree has moved on
// from.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write("app/cm.yaml", "old\r\n")
	write("app/secret.txt", "x")
	write("app/.sourceignore", "*.txt\n")
	write(".gitattributes", "*.yaml text eol=lf export-ignore\n")
	write("docs/logo.png", "x")
	run("init", "-q", "-b", "main")
	run("add", ".")
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "app", "link.yaml")); err != nil {
		t.Fatal(err)
	}
	run("add", "app/link.yaml")
	run("commit", "-q", "-m", "one")
	write("app/cm.yaml", "new\n")
	write("app/untracked.yaml", "u\n")
	return dir
}

func content(t *testing.T, tree Tree) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(tree.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree.Files, name)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestFolder(t *testing.T) {
	dir := repository(t)
	tests := map[string]struct {
		reason  string
		dir     string
		appPath string
		ignore  *string
		want    map[string]string
		err     error
	}{
		"the root": {
			reason: "links, .git and what .sourceignore names are not in an artifact; the logo is, as a pattern switches the defaults off",
			dir:    dir, appPath: "app",
			want: map[string]string{
				"app/.sourceignore": "*.txt\n",
				"app/cm.yaml":       "new\n", "app/untracked.yaml": "u\n", "docs/logo.png": "x",
			},
		},
		"a folder below": {
			reason: "people stand in their service when they ask",
			dir:    filepath.Join(dir, "app"), appPath: "./app", ignore: new("untracked.yaml\n"),
			want: map[string]string{"app/.sourceignore": "*.txt\n", "app/cm.yaml": "new\n", "docs/logo.png": "x"},
		},
		"the wrong repository": {reason: "a path that is not there must not become an empty render", dir: dir, appPath: "other", err: ErrNoPath},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tree, err := Folder(tc.dir, tc.appPath, tc.ignore)
			if !errors.Is(err, tc.err) {
				t.Fatalf("%s: error %v, want %v", tc.reason, err, tc.err)
			}
			if err != nil {
				return
			}
			defer tree.Close()
			if diff := cmp.Diff(tc.want, content(t, tree)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHiddenFilesCannotBeOpened(t *testing.T) {
	tree, err := Folder(repository(t), "app", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, name := range []string{"app/secret.txt", "app/link.yaml", ".git/config"} {
		if _, err := fs.ReadFile(tree.Files, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v, want %v", name, err, fs.ErrNotExist)
		}
	}
}

func TestFilesKeepTheContractOfFS(t *testing.T) {
	tree, err := Folder(repository(t), "app", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if err := fstest.TestFS(tree.Files, "app/cm.yaml", "app/.sourceignore"); err != nil {
		t.Error(err)
	}
}

func TestCommit(t *testing.T) {
	dir := repository(t)
	tree, err := Commit(context.Background(), filepath.Join(dir, "app"), "main", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"app/.sourceignore": "*.txt\n", "app/cm.yaml": "old\n", "docs/logo.png": "x"}
	if diff := cmp.Diff(want, content(t, tree)); diff != "" {
		t.Errorf("export-ignore has no say, the working tree neither (-want +got):\n%s", diff)
	}
}

func TestCommitThatIsNotThere(t *testing.T) {
	for _, revision := range []string{"nowhere", "--help"} {
		if _, err := Commit(context.Background(), repository(t), revision, nil); err == nil {
			t.Errorf("revision %q: no error", revision)
		}
	}
}
