// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// Options of a run.
type Options struct {
	Dir string // of the scripts
	// Update writes what a report or status reads like into the script.
	Update bool
	// OneByOne is for scripts that stop what others need.
	OneByOne bool
}

// Run runs the scripts of a folder against the lab of this package.
func Run(t *testing.T, o Options) {
	t.Helper()
	l := lab.Get(t)
	files, err := filepath.Glob(filepath.Join(o.Dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s (%v)", o.Dir, err)
	}
	kubectl, err := l.Cluster.Kubectl()
	if err != nil {
		t.Fatal(err)
	}
	r := runner{lab: l, options: o, kubectl: kubectl}
	t.Cleanup(func() { // after the last script, over all that they did together
		if err := foreign(context.WithoutCancel(t.Context()), l); err != nil {
			t.Error(err)
		}
	})
	testscript.RunT(group{T: t, alone: o.OneByOne}, testscript.Params{
		Files: files, RequireUniqueNames: true, Setup: r.setup, Cmds: r.verbs(), Condition: r.condition,
	})
}

// group is what testscript needs of a test, with a say in what runs together.
type group struct {
	*testing.T
	alone bool
}

func (g group) Run(name string, f func(testscript.T)) {
	g.T.Run(name, func(t *testing.T) { f(group{T: t, alone: g.alone}) })
}

func (g group) Parallel() {
	if !g.alone {
		g.T.Parallel()
	}
}

func (group) Verbose() bool { return testing.Verbose() }

// runner holds what all scripts of a run share.
type runner struct {
	lab     *lab.Lab
	options Options
	kubectl string
}

// story is one script under way.
type story struct {
	t     testing.TB
	space *lab.Space
	// remembered are Applications as they were when a script said so.
	remembered map[string]*api.Application
	began      time.Time
	dir        string // where its files lie
	script     string // the file that it is told in
}

type storyKey struct{}

// soon is how far ${SOON} lies ahead: long enough to see what is before.
const soon = 20 * time.Second

func (r runner) setup(e *testscript.Env) error {
	t, ok := e.T().(testing.TB)
	if !ok {
		return errors.New("the scripts have to be run by a Go test")
	}
	name := strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")
	s := &story{t: t, began: time.Now(), remembered: map[string]*api.Application{}, dir: e.WorkDir, script: filepath.Join(r.options.Dir, name+".txtar")}
	e.Values[storyKey{}] = s
	home := filepath.Join(e.WorkDir, ".home")
	e.Setenv("HOME", home)
	e.Setenv("KUBECONFIG", r.lab.Cluster.AdminKubeconfig())
	e.Setenv("REPOS", filepath.Join(r.lab.Root, "tests", "testdata", "repos"))
	e.Setenv("CRDS", filepath.Join(r.lab.Root, "tests", "testdata", "crds"))
	return os.MkdirAll(home, 0o700)
}

func (r runner) condition(name string) (bool, error) {
	if name == "embedded" {
		return r.lab.Cluster.Embedded(), nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// of is the story that a verb is called in. Its place is made when it is first
// needed, so that a script can name its namespace.
func (r runner) of(ts *testscript.TestScript) *story {
	s, ok := ts.Value(storyKey{}).(*story)
	if !ok {
		ts.Fatalf("this script was set up by somebody else")
	}
	if s.space == nil {
		s.space = r.lab.Space(s.t, "")
		ts.Setenv("NS", s.space.Namespace)
		ts.Setenv("GIT", s.space.URL)
	}
	return s
}

// file reads a file of the archive with its placeholders filled in.
func (s *story) file(ts *testscript.TestScript, name string) []byte {
	return []byte(strings.NewReplacer(
		"${NS}", s.space.Namespace, "${COMMIT}", s.space.Commit, "${GIT}", s.space.URL,
		"${SOON}", s.began.Add(soon).UTC().Format(time.RFC3339),
	).Replace(ts.ReadFile(name)))
}
