// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// effects are what a deciding package may not reach for.
var effects = []string{
	"net", "net/http", "os", "os/exec", "os/signal", "syscall",
	"k8s.io/client-go", "sigs.k8s.io/controller-runtime", "github.com/fluxcd/pkg/http",
}

// processes are what a hermetic package may not reach for.
var processes = []string{"net", "net/http", "os/exec", "syscall", "k8s.io/client-go", "sigs.k8s.io/controller-runtime"}

// TestEveryPackageHasARow: who adds a package says what it is and where it
// stands, and who removes one removes its row.
func TestEveryPackageHasARow(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range written(t) {
		if s.test() || seen[s.dir()] || outside(s.dir()) {
			continue
		}
		seen[s.dir()] = true
		if _, known := rowOf(s.dir()); !known {
			t.Errorf("package %s has no row in tests/architecture/layers_test.go", s.dir())
		}
	}
	for _, m := range modules {
		for _, r := range m.rows {
			if !seen[path.Join(m.name, r.path)] {
				t.Errorf("tests/architecture/layers_test.go has a row for %s, which does not exist", path.Join(m.name, r.path))
			}
		}
	}
}

// outside are the modules that no layer is about.
func outside(dir string) bool {
	return strings.HasPrefix(dir, "tools") || strings.HasPrefix(dir, "tests/controlplane")
}

// TestModules: controllers share nothing but api.
func TestModules(t *testing.T) {
	for _, s := range written(t) {
		module, _, _ := strings.Cut(s.dir(), "/")
		m, known := moduleOf(module)
		if !known || outside(s.dir()) {
			continue
		}
		for _, imported := range s.imports() {
			ours, ok := strings.CutPrefix(imported, modulePrefix)
			if !ok {
				continue
			}
			other, _, _ := strings.Cut(ours, "/")
			if other != module && !slices.Contains(m.mayImport, other) {
				t.Errorf("%s imports %s: module %s may import %v only", s.path, imported, module, m.mayImport)
			}
		}
	}
}

// TestLayers: within a module a package imports only what stands above it.
func TestLayers(t *testing.T) {
	for _, s := range written(t) {
		row, known := rowOf(s.dir())
		if s.test() || !known {
			continue
		}
		for _, imported := range s.imports() {
			other, ours := rowOf(strings.TrimPrefix(imported, modulePrefix))
			if !ours || other.module != row.module || other.path == row.path {
				continue
			}
			if other.order > row.order {
				t.Errorf("%s imports %s, which stands below it in tests/architecture/layers_test.go", s.path, imported)
			}
			if slices.Contains(row.never, other.path) {
				t.Errorf("%s imports %s: the two do not know each other", s.path, imported)
			}
			if row.kind == pure && other.kind == edge {
				t.Errorf("%s decides and imports %s, which acts", s.path, imported)
			}
		}
	}
}

// TestEffects: nothing that decides can write.
func TestEffects(t *testing.T) {
	refused := map[kind][]string{pure: effects, hermetic: processes}
	for _, s := range written(t) {
		row, known := rowOf(s.dir())
		if s.test() || !known {
			continue
		}
		for _, imported := range s.imports() {
			for _, effect := range refused[row.kind] {
				exact := !strings.Contains(effect, ".")
				if imported == effect || !exact && strings.HasPrefix(imported, effect+"/") {
					t.Errorf("%s imports %s: the package is %s", s.path, imported, row.kind)
				}
			}
		}
	}
}

// TestLinterKnowsTheLayers: .golangci.yml lists the deciding packages for the
// rules that only a linter can check, and must list the same ones.
func TestLinterKnowsTheLayers(t *testing.T) {
	config, err := os.ReadFile(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		for _, r := range m.rows {
			line := `"**/` + path.Join(m.name, r.path) + `/*.go"`
			if m.name == "api" {
				continue // listed as a whole
			}
			if listed := strings.Contains(string(config), line); r.kind == pure && !listed {
				t.Errorf(".golangci.yml lacks %s among the pure packages", line)
			} else if r.kind == edge && listed {
				t.Errorf(".golangci.yml lists %s as pure, the table does not", line)
			}
		}
	}
}
