// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/cluster"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

func TestMain(m *testing.M) { lab.Main(m, "e2e") }

// files is the content of a repository, by path.
type files map[string]string

// push makes the repository hold exactly these files.
func push(t *testing.T, s *lab.Space, message string, content files) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must(t, s.Push(t.Context(), message, dir))
}

// deploy writes objects as a tool that knows no server-side apply.
func deploy(t *testing.T, s *lab.Space, manager, text string) {
	t.Helper()
	objects, err := lab.Decode([]byte(text))
	must(t, err)
	must(t, s.Deploy(t.Context(), manager, objects))
}

func apply(t *testing.T, s *lab.Space, text string) {
	t.Helper()
	objects, err := lab.Decode([]byte(text))
	must(t, err)
	must(t, s.Apply(t.Context(), "platform-engineer", objects))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until polls, and fails the test with what was wrong last.
func until(t *testing.T, probe func(context.Context) error) {
	t.Helper()
	must(t, lab.Poll(t.Context(), probe))
}

// readsAuditLog tells whether the API server's requests can be counted. A cluster
// that was there before keeps its log to itself; what such a test would prove is
// then said not to be proved. The one that the tests start always has it.
func readsAuditLog(t *testing.T, s *lab.Space) bool {
	t.Helper()
	if !s.Cluster.Embedded() {
		t.Log("not proved: the audit log of the cluster in " + cluster.EnvKubeconfig + " cannot be read from here")
		return false
	}
	return true
}
