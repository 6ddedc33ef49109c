// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"errors"
	"fmt"
	"io/fs"

	"sigs.k8s.io/yaml"
)

// Case is one folder.
type Case struct {
	Name      string
	Manifests []byte
	// Live is nil where no cluster state is available.
	Live []byte
	// Previous is nil where the case is about one revision only.
	Previous []byte
	// Source are the files beside; nil where there are none.
	Source fs.FS
	Expect Expect
}

// Expect is expect.yaml.
type Expect struct {
	ID       string    `json:"id"`
	Group    string    `json:"group"`
	Rules    []string  `json:"rules"`
	Refs     []string  `json:"refs"`
	Context  Context   `json:"context"`
	Findings []Finding `json:"findings"`
	Unknown  []Finding `json:"unknown"`
	Redact   []string  `json:"redact"`
	MustNot  []string  `json:"must_not"`
}

// Finding is one expected finding, or one expected unknown.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity"`
	Object   string   `json:"object"`
	Path     string   `json:"path"`
	Mention  []string `json:"mention"`
	Gate     string   `json:"gate"`
	Or       []string `json:"or"`
	Optional bool     `json:"optional"`
	Source   string   `json:"source"`
}

// Context are the facts that a case gives as configuration. Keys that only
// rules to come look at are read all the same, so that a misspelt one fails.
type Context struct {
	ESO                 string         `json:"eso"`
	Kubernetes          string         `json:"kubernetes"`
	Stores              string         `json:"stores"`
	AcceptedRoots       []string       `json:"acceptedRoots"`
	ExternalProducers   []Producer     `json:"externalProducers"`
	FakeStoreNamespaces []string       `json:"fakeStoreNamespaces"`
	GitOps              map[string]any `json:"gitops"`
	Now                 string         `json:"now"`
	NoStatusAfter       string         `json:"noStatusAfter"`
	RawScan             bool           `json:"rawScan"`
}

// Producer is a Secret that an operator makes.
type Producer struct {
	Secret string   `json:"secret"`
	Keys   []string `json:"keys"`
}

// Load reads one case. The name is that of its folder, for messages.
func Load(name string, dir fs.FS) (Case, error) {
	out := Case{Name: name}
	expect, err := fs.ReadFile(dir, "expect.yaml")
	if err != nil {
		return Case{}, fmt.Errorf("case %s: %w", name, err)
	}
	if err := yaml.UnmarshalStrict(expect, &out.Expect); err != nil {
		return Case{}, fmt.Errorf("case %s: expect.yaml: %w", name, err)
	}
	if out.Manifests, err = fs.ReadFile(dir, "manifests.yaml"); err != nil {
		return Case{}, fmt.Errorf("case %s: %w", name, err)
	}
	out.Live, err = fs.ReadFile(dir, "live.yaml")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Case{}, fmt.Errorf("case %s: %w", name, err)
	}
	out.Previous, err = fs.ReadFile(dir, "previous.yaml")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Case{}, fmt.Errorf("case %s: %w", name, err)
	}
	if _, err := fs.Stat(dir, "source"); err == nil {
		out.Source = dir
	}
	return out, nil
}

// LoadAll reads every folder below a root. An empty root is an error: a runner
// that found nothing has proved nothing.
func LoadAll(root fs.FS) ([]Case, error) {
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		dir, err := fs.Sub(root, entry.Name())
		if err != nil {
			return nil, err
		}
		one, err := Load(entry.Name(), dir)
		if err != nil {
			return nil, err
		}
		cases = append(cases, one)
	}
	if len(cases) == 0 {
		return nil, errors.New("no case found: expected one folder with expect.yaml for each")
	}
	return cases, nil
}
