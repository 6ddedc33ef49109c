// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"sigs.k8s.io/yaml"
)

// Expect is the right answer.
type Expect struct {
	ID        string         `json:"id"`
	Kind      string         `json:"kind"`
	Drift     *Entries       `json:"drift"` // nil: nothing is said about drift
	Explained []Entry        `json:"explained"`
	Plan      *Plan          `json:"plan"`
	Render    *Rendered      `json:"render"`
	Source    *SourceOutcome `json:"source"` // kind source: what the source-controller shows
	MustNot   []string       `json:"must_not"`
}

// Entry is one difference, or a whole object if it has no path.
type Entry struct {
	Object      Reference       `json:"object"`
	Path        string          `json:"path"`
	Keyed       string          `json:"keyed"`
	Class       string          `json:"class"`
	Want        json.RawMessage `json:"want"`
	Have        json.RawMessage `json:"have"`
	HavePresent bool            `json:"have_present"`
	By          string          `json:"by"`
	Operation   string          `json:"operation"`
	Subresource *string         `json:"subresource"`
	At          string          `json:"at"`
	Heal        *bool           `json:"heal"`
	Redact      bool            `json:"redact"`
	Note        string          `json:"note"`
}

// Plan is what may be deleted and what must survive.
type Plan struct {
	Prune References `json:"prune"`
	Keep  References `json:"keep"`
	// Refuse says in words why something is not deleted.
	Refuse string `json:"refuse"`
	Note   string `json:"note"`
}

// Rendered is what a render gives.
type Rendered struct {
	Objects References  `json:"objects"` // complete, if given
	Values  []Value     `json:"values"`
	Error   *Mentions   `json:"error"`
	AnyOf   []*Rendered `json:"any_of"`
	Warn    string      `json:"warn"`
}

// Value is what a rendered object holds at a path.
type Value struct {
	Object Reference       `json:"object"`
	Path   string          `json:"path"`
	Value  json.RawMessage `json:"value"`
}

// Mentions is what an error must name.
type Mentions struct {
	File     string   `json:"file"`
	Mentions []string `json:"mentions"`
}

// Entries may be written as the word none.
type Entries []Entry

// UnmarshalJSON reads a list or none.
func (e *Entries) UnmarshalJSON(data []byte) error {
	return listOrNone(data, (*[]Entry)(e))
}

// References may be written as the word none.
type References []Reference

// UnmarshalJSON reads a list or none.
func (r *References) UnmarshalJSON(data []byte) error {
	return listOrNone(data, (*[]Reference)(r))
}

func listOrNone[T any](data []byte, into *[]T) error {
	if string(data) == `"none"` {
		*into = []T{}
		return nil
	}
	return json.Unmarshal(data, into)
}

var classes = []string{
	"manual", "controller", "webhook", "unowned", "default", "missing", "orphan", "prune",
	"pending", "contested", "unknown", "any",
}

func loadExpect(path string) (Expect, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Expect{}, err
	}
	var e Expect
	if err := yaml.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("expect.yaml: %w", err)
	}
	if !slices.Contains([]string{Drift, Render, Prune, Source, Secrets}, e.Kind) {
		return e, fmt.Errorf("expect.yaml: kind %q is none of drift, render, prune, source, secrets", e.Kind)
	}
	entries := e.Explained
	if e.Drift != nil {
		entries = append(slices.Clone(entries), *e.Drift...)
	}
	for _, entry := range entries {
		if !slices.Contains(classes, entry.Class) {
			return e, fmt.Errorf("expect.yaml: %s: class %q is not a class", entry.Object, entry.Class)
		}
	}
	return e, nil
}
