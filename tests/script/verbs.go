// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package script

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/lab"
)

// verb is one verb of ours; it never stands after a !.
type verb func(*testscript.TestScript, *story, []string) error

// bound is how many arguments a verb takes.
type bound struct {
	least, most int
	usage       string
	do          verb
}

func (r runner) verbs() map[string]func(*testscript.TestScript, bool, []string) {
	verbs := map[string]func(*testscript.TestScript, bool, []string){
		"namespace": r.namespace,
		"kubectl":   r.runKubectl,
		"holdfast":  r.runHoldfast,
	}
	for name, b := range map[string]bound{
		"commit":           {1, 1, "commit MESSAGE", commit},
		"apply":            {1, 3, "apply FILE [as MANAGER]", apply},
		"deploy":           {3, 3, "deploy FILE as MANAGER", deploy},
		"release":          {2, 9, "release NAME PATH FILE...", release},
		"application":      {2, 3, "application NAME PATH [FILE]", application},
		"await":            {2, 3, "await APP CONDITION=STATUS [REASON]", await},
		"cmp-report":       {2, 2, "cmp-report APP FILE", r.compare(report)},
		"cmp-status":       {2, 2, "cmp-status APP FILE", r.compare(status)},
		"cmp-plans":        {2, 2, "cmp-plans APP FILE", r.compare(plans)},
		"settled":          {1, 1, "settled APP", settled},
		"never-removed":    {0, 0, "never-removed", neverRemoved},
		"audit-writes":     {1, 1, "audit-writes COUNT", auditWrites},
		"audit-applied":    {1, 1, "audit-applied COUNT", auditApplied},
		"project":          {0, 1, "project [FILE]", project},
		"at-stage":         {2, 2, "at-stage APP STAGE", atStage},
		"audit-pruned":     {1, 1, "audit-pruned COUNT", auditPruned},
		"approve":          {1, 2, "approve APP [heal|prune|undo]", approve},
		"remember":         {1, 1, "remember APP", remember},
		"unmoved":          {2, 2, "unmoved APP CONDITION", unmoved},
		"apiserver-gone":   {1, 1, "apiserver-gone DURATION", apiServerGone},
		"kill-controller":  {1, 1, "kill-controller NAME", killController},
		"start-controller": {1, 1, "start-controller NAME", startController},
	} {
		verbs[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			if neg || len(args) < b.least || len(args) > b.most {
				ts.Fatalf("usage: %s", b.usage)
			}
			ts.Check(b.do(ts, r.of(ts), args))
		}
	}
	return verbs
}

func (r runner) namespace(ts *testscript.TestScript, neg bool, args []string) {
	s, ok := ts.Value(storyKey{}).(*story)
	if neg || len(args) != 1 || !ok || s.space != nil {
		ts.Fatalf("usage: namespace NAME, before any verb that needs one")
	}
	s.space = r.lab.Space(s.t, args[0])
	ts.Setenv("NS", s.space.Namespace)
	ts.Setenv("GIT", s.space.URL)
}

// runKubectl is the one verb that may be expected to fail.
func (r runner) runKubectl(ts *testscript.TestScript, neg bool, args []string) {
	s := r.of(ts)
	err := ts.Exec(r.kubectl, append([]string{"--namespace", s.space.Namespace}, args...)...)
	if (err != nil) != neg {
		ts.Fatalf("kubectl %s: error %v", strings.Join(args, " "), err)
	}
}

// runHoldfast runs the command line in the script's namespace, and its exit code
// is part of what it says.
func (r runner) runHoldfast(ts *testscript.TestScript, neg bool, args []string) {
	s := r.of(ts)
	if neg || len(args) < 2 {
		ts.Fatalf("usage: holdfast CODE VERB...")
	}
	err := ts.Exec(r.lab.CLI(), append(args[1:], "--namespace", s.space.Namespace)...)
	code := 0
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		code = ended.ExitCode()
	case err != nil:
		ts.Fatalf("holdfast %s: %v", strings.Join(args[1:], " "), err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("holdfast %s: exit code %d, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

func commit(ts *testscript.TestScript, s *story, args []string) error {
	folder := ts.MkAbs("git")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := s.space.Push(s.t.Context(), args[0], folder); err != nil {
		return err
	}
	ts.Setenv("COMMIT", s.space.Commit)
	return nil
}

// manager is the last of FILE as MANAGER.
func manager(args []string) (string, error) {
	switch {
	case len(args) == 1:
		return "platform-engineer", nil
	case len(args) == 3 && args[1] == "as":
		return args[2], nil
	}
	return "", errors.New("want FILE as MANAGER")
}

func apply(ts *testscript.TestScript, s *story, args []string) error {
	who, err := manager(args)
	if err != nil {
		return err
	}
	objects, err := lab.Decode(s.file(ts, args[0]))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return s.space.Apply(s.t.Context(), who, objects)
}

func deploy(ts *testscript.TestScript, s *story, args []string) error {
	who, err := manager(args)
	if err != nil {
		return err
	}
	objects, err := lab.Decode(s.file(ts, args[0]))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return s.space.Deploy(s.t.Context(), who, objects)
}

func release(ts *testscript.TestScript, s *story, args []string) error {
	return s.space.DeployChart(s.t.Context(), ts.MkAbs("git"), lab.Chart{
		Release: args[0], Path: args[1], ValuesFiles: args[2:],
	})
}

func application(ts *testscript.TestScript, s *story, args []string) error {
	var spec []byte
	if len(args) == 3 {
		spec = s.file(ts, args[2])
	}
	return s.space.Declare(s.t.Context(), args[0], args[1], spec)
}

func project(ts *testscript.TestScript, s *story, args []string) error {
	var spec []byte
	if len(args) == 1 {
		spec = s.file(ts, args[0])
	}
	return s.space.Project(s.t.Context(), spec)
}

func atStage(_ *testscript.TestScript, s *story, args []string) error {
	return s.space.AtStage(s.t.Context(), args[0], api.Stage(args[1]))
}

func approve(_ *testscript.TestScript, s *story, args []string) error {
	which := "heal"
	if len(args) == 2 {
		which = args[1]
	}
	return s.space.Approve(s.t.Context(), args[0], which)
}

func await(_ *testscript.TestScript, s *story, args []string) error {
	kind, want, ok := strings.Cut(args[1], "=")
	if !ok {
		return fmt.Errorf("%q: want CONDITION=STATUS", args[1])
	}
	c := lab.Condition{Type: kind, Status: want}
	if len(args) == 3 {
		c.Reason = args[2]
	}
	return s.space.Await(s.t.Context(), args[0], c)
}

// inArchive is the name of a file in the script that a path stands for.
func (s *story) inArchive(ts *testscript.TestScript, file string) (string, error) {
	name, err := filepath.Rel(s.dir, ts.MkAbs(file))
	if err != nil {
		return "", fmt.Errorf("%s is no file of the script: %w", file, err)
	}
	return filepath.ToSlash(name), nil
}
