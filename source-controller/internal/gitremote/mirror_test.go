// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gitremote

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/gittest"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/reference"
)

func TestRecovers(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	want := repository.Commit(t, "one", map[string]string{"a": "1"})
	repository.Push(t, "HEAD", "refs/heads/main")
	remote := Remote{Address: server.Address(t, "r.git")}
	choice := reference.Choice{Ref: "refs/heads/main", Commit: want}

	tests := map[string]struct {
		reason string
		damage func(t *testing.T, path string)
	}{
		"no configuration": {"git no longer takes it for a repository", func(t *testing.T, path string) {
			t.Helper()
			remove(t, filepath.Join(path, "HEAD"))
			remove(t, filepath.Join(path, "config"))
		}},
		"pack cut short": {"a full disk, or a crash", func(t *testing.T, path string) {
			t.Helper()
			packs, _ := filepath.Glob(filepath.Join(path, "objects", "pack", "*.pack"))
			for _, pack := range packs {
				remove(t, pack)
				if err := os.WriteFile(pack, []byte("PACK"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}},
		"pack gone": {"somebody tidied", func(t *testing.T, path string) {
			t.Helper()
			remove(t, filepath.Join(path, "objects", "pack"))
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			m := openMirrors(t, nil)
			take(t, m, remote, choice)
			tc.damage(t, filepath.Join(m.mirrors, m.name(remote)))
			if got, files := take(t, m, remote, choice); got != want || files["a"] != "1" {
				t.Errorf("%s: got %s with %v", tc.reason, got, files)
			}
		})
	}
	t.Run("lock of a killed git", func(t *testing.T) {
		m := openMirrors(t, nil)
		take(t, m, remote, choice)
		path := filepath.Join(m.mirrors, m.name(remote))
		if err := os.WriteFile(filepath.Join(path, "shallow.lock"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		root := filepath.Dir(m.mirrors)
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		again := openMirrors(t, func(c *Config) { c.Root = root })
		moved := repository.Commit(t, "two", map[string]string{"a": "2"})
		repository.Push(t, "HEAD", "refs/heads/main")
		if got, _ := look(t, again, remote, "refs/heads/main"); got != moved {
			t.Errorf("got %s, want %s", got, moved)
		}
	})
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestLimits(t *testing.T) {
	server := gittest.Serve(t)
	repository := server.Create(t, "r.git")
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("f%d", i)] = strings.Repeat(fmt.Sprint(i), 100)
	}
	commit := repository.Commit(t, "one", files)
	repository.Push(t, "HEAD", "refs/heads/main")
	remote := Remote{Address: server.Address(t, "r.git")}
	choice := reference.Choice{Ref: "refs/heads/main", Commit: commit}

	few := openMirrors(t, func(c *Config) { c.MaxEntries = 10 })
	if _, err := few.Checkout(t.Context(), remote, choice, time.Now().Add(patience)); FaultOf(err) != TooLarge {
		t.Errorf("a tree with more files than allowed: got %v, want fault TooLarge", err)
	}

	// The transfer is held open by the server until it is ended from here.
	server.Before(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			<-r.Context().Done()
			return false
		}
		return true
	})
	small := openMirrors(t, func(c *Config) { c.MaxMirrorBytes = 1 })
	held, release, err := small.hold(t.Context(), remote, formatSHA1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(held.path, "objects", "pack", "tmp_pack_x"), []byte("12"), 0o600); err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := small.Checkout(t.Context(), remote, choice, time.Now().Add(patience)); FaultOf(err) != TooLarge {
		t.Errorf("a transfer past the limit: got %v, want fault TooLarge", err)
	}
}

func TestRootIsPrivate(t *testing.T) {
	m := openMirrors(t, nil)
	if _, err := Open(t.Context(), Config{Root: filepath.Dir(m.mirrors), Environ: os.Environ()}); err == nil {
		t.Error("two processes share a root")
	}
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Config{Root: open, Environ: os.Environ()}); err == nil {
		t.Error("a folder that anyone may write to was taken")
	}
}

func TestSweep(t *testing.T) {
	server := gittest.Serve(t)
	server.Create(t, "one.git")
	server.Create(t, "two.git")
	m := openMirrors(t, nil)
	used, unused := Remote{Address: server.Address(t, "one.git")}, Remote{Address: server.Address(t, "two.git")}
	for _, remote := range []Remote{used, unused} {
		_, release, err := m.hold(t.Context(), remote, formatSHA1)
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(m.mirrors, m.name(unused)), old, old); err != nil {
		t.Fatal(err)
	}
	removed, err := m.Sweep(time.Now().Add(-24 * time.Hour))
	if err != nil || removed != 1 {
		t.Fatalf("got %d removed, %v; want the unused one", removed, err)
	}
	entries, err := os.ReadDir(m.mirrors)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if diff := cmp.Diff([]string{m.name(used)}, left); diff != "" {
		t.Errorf("other mirrors are left (-want +got):\n%s", diff)
	}
}
