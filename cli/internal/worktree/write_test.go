// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestWrite: only what was read is replaced, and nothing outside of the tree.
func TestWrite(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(dir, "app", "a.yaml"): "old\n", filepath.Join(outside, "b.yaml"): "theirs\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"app/file.yaml": filepath.Join(outside, "b.yaml"), "app/folder": outside} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := Folder(dir, "app", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if err := tree.Write("app/a.yaml", []byte("older\n"), []byte("new\n")); !errors.Is(err, ErrMoved) {
		t.Errorf("a file that somebody changed meanwhile: %v", err)
	}
	if err := tree.Write("app/a.yaml", []byte("old\n"), []byte("new\n")); err != nil {
		t.Error(err)
	}
	if err := tree.Write("app/fresh.yaml", nil, []byte("new\n")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"app/a.yaml", "app/fresh.yaml"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != "new\n" {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "app", "a.yaml")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of a file is its owner's choice: %v %v", info.Mode(), err)
	}
	for _, name := range []string{"app/file.yaml", "app/folder/b.yaml", "../b.yaml"} {
		if err := tree.Write(name, []byte("theirs\n"), []byte("ours\n")); err == nil {
			t.Errorf("%s leads out of the tree and was written", name)
		}
	}
	if text, err := os.ReadFile(filepath.Join(outside, "b.yaml")); err != nil || string(text) != "theirs\n" {
		t.Errorf("outside of the tree: %q %v", text, err)
	}
}
