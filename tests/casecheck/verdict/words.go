// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Words finds lines whose text says something else than their values do: what
// will be set to what Git declares has a value in Git, and what was added was
// not there before. A reader acts on the words.
func Words(got Outcome) []Problem {
	var problems []Problem
	for _, l := range got.Lines {
		if l.Path == "" || !l.Listed {
			continue
		}
		for _, claim := range claims {
			text := l.Next + " " + l.Explanation
			if strings.Contains(text, claim.words) && !claim.holds(l) {
				problems = append(problems, Problem{Got: l.String() + ": " + text, Want: claim.want})
			}
		}
	}
	return problems
}

var claims = []struct {
	words string
	holds func(Line) bool
	want  string
}{
	{"to what Git declares", func(l Line) bool { return l.Wanted != nil }, "no word of what Git declares where it declares nothing"},
	{"since Git does not declare it", func(l Line) bool { return l.Wanted == nil }, "Git does declare it"},
	{"be removed", func(l Line) bool { return l.Kind == api.Added }, "a removal only of what is there and nowhere else"},
	{"be set back to the API server's own", func(l Line) bool { return l.Kind != api.Added }, "a removal, since the server stores nothing there"},
	{"added with", func(l Line) bool { return l.Kind == api.Added }, "a change, since something would be there anyway"},
}
