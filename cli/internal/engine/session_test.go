// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdfast-gitops/holdfast/cli/internal/worktree"
)

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "app"), 0o755); err != nil {
		t.Fatal(err)
	}
	with := Folders(dir, "", dir)
	for name, open := range map[string]Open{"source": with.Open, "values": with.OpenValues} {
		tree, err := open(context.Background(), "app", nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
		if _, err := open(context.Background(), "other", nil); !errors.Is(err, worktree.ErrNoPath) {
			t.Errorf("%s: error %v, want %v", name, err, worktree.ErrNoPath)
		}
	}
	if without := Folders(dir, "", ""); without.OpenValues != nil {
		t.Error("no second checkout was named, and there is one")
	}
	if _, err := Folders(dir, "nowhere", "").Open(context.Background(), "app", nil); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a revision that is not there must be named, got %v", err)
	}
}
