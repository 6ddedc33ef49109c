// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// SourceOutcome is what must come out for an object of the source API.
type SourceOutcome struct {
	Ready    *bool             `json:"ready"`
	Revision string            `json:"revision"` // with <words> where the recipe decides
	Artifact Listing           `json:"artifact"`
	Content  map[string]string `json:"content"`
	Mentions []string          `json:"mentions"` // words of Ready's message

	Tags  []string     `json:"tags"`
	Picks []Pick       `json:"picks"`
	Steps []SourceStep `json:"steps"`

	// AnyOf: one of these is enough.
	AnyOf       []SourceOutcome `json:"any_of"`
	RenderError *Mentions       `json:"render_error"`
	Prune       string          `json:"prune"`
}

// Listing is what an artifact has and has not.
type Listing struct {
	Contains    []string `json:"contains"`
	NotContains []string `json:"not_contains"`
}

// Pick is a range of versions and the tag it chooses, or an error.
type Pick struct {
	Range string `json:"range"`
	Tag   string `json:"tag"`
	Error string `json:"error"`
}

// SourceStep is what is seen after one step of the recipe.
type SourceStep struct {
	Revision       string `json:"revision"`
	RevisionDigest string `json:"revision_digest"`
	Ready          bool   `json:"ready"`
	Changed        bool   `json:"changed"`
	Content        string `json:"content"`
}

// Recipe gives the commands of live-action.md, a part for each line that says to
// fetch: the commands before it.
func (c Case) Recipe() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(c.Dir, "live-action.md"))
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", c.Name, err)
	}
	_, script, found := strings.Cut(string(text), "```sh\n")
	script, _, closed := strings.Cut(script, "```")
	if !found || !closed {
		return nil, fmt.Errorf("case %s: live-action.md has no commands", c.Name)
	}
	var parts []string
	var part strings.Builder
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "# fetch") {
			parts = append(parts, part.String())
			part.Reset()
			continue
		}
		part.WriteString(line)
	}
	if part.Len() > 0 {
		parts = append(parts, part.String())
	}
	return parts, nil
}
