// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package binaries

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRootIsWhereTheWorkspaceIs(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "tests", "scenario")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Root(deep); !errors.Is(err, ErrNoRoot) {
		t.Errorf("no workspace anywhere: %v, want %v", err, ErrNoRoot)
	}
	if err := os.WriteFile(filepath.Join(root, "go.work"), []byte("go 1.26.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{root, deep} {
		got, err := Root(from)
		if err != nil || got != root {
			t.Errorf("from %s: %s, %v; want %s", from, got, err, root)
		}
	}
}

func TestCheckNamesWhatIsMissing(t *testing.T) {
	folder := t.TempDir()
	for _, name := range Required[1:] {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := Check(folder); !errors.Is(err, ErrIncomplete) {
		t.Errorf("one missing: %v, want %v", err, ErrIncomplete)
	}
	if err := os.WriteFile(filepath.Join(folder, Required[0]), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Check(folder); err != nil {
		t.Errorf("all there: %v", err)
	}
}
