// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import "github.com/holdfast-gitops/holdfast/cli/internal/screen"

// CheckState is what a check found.
type CheckState string

// The states. Unknown is no Passed.
const (
	Passed    CheckState = "Passed"
	Warned    CheckState = "Warned"
	NotPassed CheckState = "Failed"
	NotKnown  CheckState = "Unknown"
)

// Check is one question with its answer.
type Check struct {
	Name    string     `json:"name"`
	State   CheckState `json:"state"`
	Message string     `json:"message"`
	// Next is what to do about it.
	Next string `json:"next,omitempty"`
}

// Checks of a cluster.
type Checks []Check

// Passed says whether nothing failed and everything is known.
func (c Checks) Passed() bool {
	for _, check := range c {
		if check.State == NotPassed || check.State == NotKnown {
			return false
		}
	}
	return true
}

// Text is a line for each, the next step below it.
func (c Checks) Text(s screen.Style) string {
	p := screen.NewPage(s)
	marks := map[CheckState]screen.Span{
		Passed: screen.Green("ok       "), Warned: screen.Yellow("warning  "), NotPassed: screen.Red("FAILED   "), NotKnown: screen.Yellow("unknown  "),
	}
	for _, check := range c {
		p.Line(0, marks[check.State], screen.Bold(check.Name))
		const indent = 9
		p.Prose(indent, 0, screen.Plain(check.Message))
		if check.State != Passed {
			p.Prose(indent, 0, screen.Dim(check.Next))
		}
	}
	return p.String()
}

// Value is the list.
func (c Checks) Value() any { return map[string]any{"passed": c.Passed(), "checks": []Check(c)} }

// Names of the checks.
func (c Checks) Names() []string {
	var names []string
	for _, check := range c {
		names = append(names, check.Name)
	}
	return names
}
