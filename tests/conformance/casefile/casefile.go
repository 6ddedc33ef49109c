// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/tests/conformance/fixture"
)

// Case is one file.
type Case struct {
	Name  string   `json:"-"`
	About string   `json:"about"`
	Items []string `json:"items"` // of the contract that it shows
	Steps []Step   `json:"steps"`
}

// Step is one thing that happens, or what must then be seen. One field is set.
type Step struct {
	Git    *fixture.Change `json:"git"`
	OCI    *fixture.Push   `json:"oci"`
	Apply  string          `json:"apply"`  // objects, as YAML
	Refuse string          `json:"refuse"` // an object that the API server must not take
	Merge  *Merge          `json:"merge"`  // a change of an object
	Ask    string          `json:"ask"`    // KIND/NAME: reconcile now, and wait until that is handled
	Delete string          `json:"delete"` // KIND/NAME
	Damage *Damage         `json:"damage"` // what happens to the storage
	Expect *Expect         `json:"expect"`
}

// Merge is a merge patch.
type Merge struct {
	Object string         `json:"object"`
	Patch  map[string]any `json:"patch"`
	Status bool           `json:"status"` // of the status
}

// Damage is an accident of a stored artifact.
type Damage struct {
	Object string `json:"object"`
	How    string `json:"how"` // Remove or Corrupt
}

// Expect is what must be seen, within a time limit. What is left out is not
// looked at. Events, transitions and transfers are those since the last expect.
type Expect struct {
	Object string `json:"object"`
	Gone   bool   `json:"gone"`
	// Observed is the observed generation; current if the word is Current.
	Observed string `json:"observed"`
	// Conditions are all of them, as "Type=Status Reason", sorted. One that
	// speaks of an older generation ends in " @N".
	Conditions []string `json:"conditions"`
	// Messages are regular expressions by the type of condition.
	Messages map[string]string `json:"messages"`
	Status   map[string]any    `json:"status"` // fields that the status has
	Ready    []string          `json:"ready"`  // transitions of Ready, as "Status Reason"
	// Events are those at the receiver, as "severity Reason", in order.
	Events []string `json:"events"`
	// Traces are events in the cluster that must be among the others.
	Traces    []string `json:"traces"`
	Transfers *int     `json:"transfers"` // of objects from Git, or of blobs
	// Deliberate says why ours differs here; another subject is not held to it.
	Deliberate string `json:"deliberate"`
	Artifact
}

// Artifact is what a download must be.
type Artifact struct {
	Revision string            `json:"revision"`
	Path     string            `json:"path"`  // of its file
	Files    []string          `json:"files"` // of the tar, in order
	Content  map[string]string `json:"content"`
	// Contains and NotContains look at single files.
	Contains    []string `json:"contains"`
	NotContains []string `json:"notContains"`
	// Same names an earlier expect whose tar has the same bytes; Save names this.
	Same string `json:"same"`
	Save string `json:"save"`
}

// Load reads every case of a folder, in order.
func Load(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no cases in %s: %w", dir, errors.Join(err, os.ErrNotExist))
	}
	slices.Sort(files)
	cases := make([]Case, 0, len(files))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c := Case{Name: strings.TrimSuffix(filepath.Base(file), ".yaml")}
		if err := yaml.UnmarshalStrict(raw, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// Deliberate is why ours may differ at the expectation with this number; empty
// where it may not.
func (c Case) Deliberate(number int) string {
	for _, step := range c.Steps {
		if step.Expect == nil || step.Expect.Gone {
			continue
		}
		if number == 0 {
			return step.Expect.Deliberate
		}
		number--
	}
	return ""
}

func (c Case) check() error {
	if c.About == "" || len(c.Items) == 0 || len(c.Steps) == 0 {
		return errors.New("a case has about, items and steps")
	}
	expects := 0
	for i, step := range c.Steps {
		if n := step.count(); n != 1 {
			return fmt.Errorf("step %d does %d things, it must do one", i+1, n)
		}
		if step.Expect != nil || step.Refuse != "" {
			expects++
		}
	}
	if expects == 0 {
		return errors.New("nothing is expected")
	}
	return nil
}

func (s Step) count() int {
	n := 0
	for _, set := range []bool{
		s.Git != nil, s.OCI != nil, s.Apply != "", s.Refuse != "", s.Merge != nil, s.Ask != "", s.Delete != "", s.Damage != nil, s.Expect != nil,
	} {
		if set {
			n++
		}
	}
	return n
}
