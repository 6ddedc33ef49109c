// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gittest

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Repository is a served bare repository with a work tree to commit from.
type Repository struct {
	Path string
	work string
	// commits are a minute apart, so that their order shows in their times and
	// their names are the same in every run.
	commits int
}

// Create makes an empty repository that is served as name.
func (s *Server) Create(t testing.TB, name string) *Repository {
	t.Helper()
	r := &Repository{Path: filepath.Join(s.root, name), work: filepath.Join(t.TempDir(), "work")}
	run(t, s.root, nil, "init", "--quiet", "--bare", "--initial-branch=main", r.Path)
	run(t, s.root, nil, "init", "--quiet", "--initial-branch=main", r.work)
	return r
}

// Git runs git in the work tree and gives what it printed.
func (r *Repository) Git(t testing.TB, args ...string) string {
	t.Helper()
	return run(t, r.work, nil, args...)
}

// Link adds a symbolic link to the work tree.
func (r *Repository) Link(t testing.TB, path, target string) {
	t.Helper()
	full := filepath.Join(r.work, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, full); err != nil {
		t.Fatal(err)
	}
}

// Write puts a file into the work tree.
func (r *Repository) Write(t testing.TB, path, content string, mode fs.FileMode) {
	t.Helper()
	full := filepath.Join(r.work, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// Commit commits the work tree with these files changed, and gives the commit.
func (r *Repository) Commit(t testing.TB, message string, files map[string]string) string {
	t.Helper()
	for path, content := range files {
		r.Write(t, path, content, 0o644)
	}
	r.Git(t, "add", "--all", "--force")
	r.commits++
	when := time.Date(2026, 1, 1, 0, r.commits, 0, 0, time.UTC).Format(time.RFC3339)
	run(t, r.work, []string{"GIT_AUTHOR_DATE=" + when, "GIT_COMMITTER_DATE=" + when}, "commit", "--quiet", "--allow-empty", "-m", message)
	return r.Git(t, "rev-parse", "HEAD")
}

// Push moves a reference of the served repository to what a local name means.
func (r *Repository) Push(t testing.TB, local, remote string) {
	t.Helper()
	r.Git(t, "push", "--quiet", "--force", r.Path, local+":"+remote)
}

// run runs git without the configuration of the machine or the user.
func run(t testing.TB, dir string, env []string, args ...string) string {
	t.Helper()
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "HOME="+dir,
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com",
		"GIT_COMMITTER_NAME=Test", "GIT_COMMITTER_EMAIL=test@example.com",
	)
	command.Env = append(command.Env, env...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}
