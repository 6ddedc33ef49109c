// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// ErrNoCases means that a folder holds no case: a wrong path, most likely, and
// a run over nothing would pass.
var ErrNoCases = errors.New("no cases found: a case is a folder with an expect.yaml")

// The kinds of case, by the part of the product that must get them right.
const (
	Drift   = "drift"
	Render  = "render"
	Prune   = "prune"
	Source  = "source"
	Secrets = "secrets"
)

// Case is one folder.
type Case struct {
	Name   string
	Dir    string
	Expect Expect
	// Desired is what Git renders now, if it stands in a desired.yaml; where
	// it has to be rendered first it is nil, and Inputs name the folders.
	Desired  []manifest.Object
	Previous []manifest.Object // what Git rendered before
	Setup    []manifest.Object // objects of others, there first
	Later    []manifest.Object // objects of others that came last
	Live     []manifest.Object // as recorded, managedFields included
	Inputs   []Input
	// Recorded is what the last run of each application recorded as applied.
	Recorded map[string][]Reference
	// Releases are manifests in the record of a Helm release, oldest first.
	Releases []Release
	Action   Action
}

// Input is a folder to render for one application.
type Input struct {
	Application string // empty unless the folder names one
	Dir         string // below the case's folder
	// Numbered: one of several states of the same application, the last of
	// which is what Git has now.
	Numbered bool
}

// Find gives the folders of all cases at or below root, in order.
func Find(root string) ([]string, error) {
	var dirs []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() && entry.Name() == "expect.yaml" {
			dirs = append(dirs, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cases: %w", err)
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%s: %w", root, ErrNoCases)
	}
	slices.Sort(dirs)
	return dirs, nil
}

// Load reads one case.
func Load(dir string) (Case, error) {
	c := Case{Name: filepath.Base(dir), Dir: dir}
	var err error
	if c.Expect, err = loadExpect(filepath.Join(dir, "expect.yaml")); err != nil {
		return c, fmt.Errorf("case %s: %w", c.Name, err)
	}
	for name, into := range map[string]*[]manifest.Object{
		"desired.yaml": &c.Desired, "previous.yaml": &c.Previous, "setup.yaml": &c.Setup, "live.yaml": &c.Live,
		"later.yaml": &c.Later,
	} {
		if *into, err = loadManifests(dir, name); err != nil {
			return c, fmt.Errorf("case %s: %w", c.Name, err)
		}
	}
	if c.Inputs, err = findInputs(dir); err != nil {
		return c, fmt.Errorf("case %s: %w", c.Name, err)
	}
	if c.Recorded, err = loadInventory(filepath.Join(dir, "inventory.yaml")); err != nil {
		return c, fmt.Errorf("case %s: %w", c.Name, err)
	}
	if c.Releases, err = loadReleases(dir); err != nil {
		return c, fmt.Errorf("case %s: %w", c.Name, err)
	}
	if c.Action, err = loadAction(filepath.Join(dir, "live-action.md")); err != nil {
		return c, fmt.Errorf("case %s: %w", c.Name, err)
	}
	return c, nil
}

// loadManifests gives nil for a file that is not there.
func loadManifests(dir, name string) ([]manifest.Object, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	objects, err := manifest.Decode(name, data)
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 {
		return []manifest.Object{}, nil
	}
	return objects, nil
}

// findInputs: input/ or chart/ is rendered for the one application, app-NAME/
// for the application NAME; input-1/, input-2/ ... come one after the other.
func findInputs(dir string) ([]Input, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var inputs []Input
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		name := entry.Name()
		application, isApplication := strings.CutPrefix(name, "app-")
		switch {
		case isApplication:
			inputs = append(inputs, Input{Application: application, Dir: name})
		case name == "input", name == "chart":
			inputs = append(inputs, Input{Dir: name})
		case strings.HasPrefix(name, "input-"):
			inputs = append(inputs, Input{Dir: name, Numbered: true})
		}
	}
	return inputs, nil
}
