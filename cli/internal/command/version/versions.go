// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package version

import (
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
)

// versions is what is shown.
type versions struct {
	Client clientVersion  `json:"client"`
	Server *serverVersion `json:"server,omitempty"`
}

// clientVersion is of this binary.
type clientVersion struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// serverVersion is of the cluster.
type serverVersion struct {
	Kubernetes string `json:"kubernetes"`
	// Groups of Holdfast that the cluster serves, with their versions.
	Groups []string `json:"groups"`
}

// Text is a line for each side.
func (v versions) Text(screen.Style) string {
	c := v.Client
	details := []string{c.Go, c.Platform}
	if c.Commit != "" {
		commit := "commit " + c.Commit[:min(len(c.Commit), 12)]
		if c.Modified {
			commit += " with changes"
		}
		details = append([]string{commit}, details...)
	}
	text := fmt.Sprintf("holdfast %s (%s)\n", c.Version, strings.Join(details, ", "))
	if v.Server == nil {
		return text
	}
	groups := "Holdfast's API is not installed"
	if len(v.Server.Groups) > 0 {
		groups = strings.Join(v.Server.Groups, ", ")
	}
	return text + fmt.Sprintf("cluster  %s (%s)\n", screen.Clean(v.Server.Kubernetes), screen.Clean(groups))
}

// Value is the whole of it.
func (v versions) Value() any { return v }

// Names has nothing to name.
func (v versions) Names() []string { return nil }
