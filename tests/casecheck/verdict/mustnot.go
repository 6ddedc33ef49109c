// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// Remark patterns that a program can check.
var (
	mustNotList    = regexp.MustCompile(`^list (\S+) (?:(\S+)/)?(\S+) as (\w+)(?: or (\w+))?$`)
	mustNotPrint   = regexp.MustCompile(`^print (.+) or their base64 form anywhere$`)
	mustNotClass   = regexp.MustCompile(`^class (\w+) for (/\S*)$`)
	mustNotRewrite = regexp.MustCompile(`^rewrite the (\w+) at every reconcile$`)
)

// Unchecked gives the remarks that no program can check.
func Unchecked(want casefile.Expect) []string {
	_, unchecked := checkMustNot(want, Outcome{})
	return unchecked
}

func checkMustNot(want casefile.Expect, got Outcome) (problems []Problem, unchecked []string) {
	for _, remark := range want.MustNot {
		found, checked := checkRemark(remark, got)
		if !checked {
			unchecked = append(unchecked, remark)
		}
		problems = append(problems, found...)
	}
	return append(problems, checkRedacted(want, got)...), unchecked
}

func checkRemark(remark string, got Outcome) (problems []Problem, checked bool) {
	if m := mustNotPrint.FindStringSubmatch(remark); m != nil {
		return shown(got.Text, strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })), true
	}
	var forbids func(Line) bool
	switch {
	case mustNotList.MatchString(remark):
		m := mustNotList.FindStringSubmatch(remark)
		forbids = func(l Line) bool {
			id := l.ID()
			return id.Kind == m[1] && id.Namespace == m[2] && id.Name == m[3] && (hasClass(l, m[4]) || hasClass(l, m[5]))
		}
	case mustNotClass.MatchString(remark):
		m := mustNotClass.FindStringSubmatch(remark)
		forbids = func(l Line) bool { return l.Indexed == m[2] && hasClass(l, m[1]) }
	case mustNotRewrite.MatchString(remark):
		kind := mustNotRewrite.FindStringSubmatch(remark)[1]
		forbids = func(l Line) bool { return l.ID().Kind == kind && l.Heal }
	default:
		return nil, false
	}
	for _, l := range got.Lines {
		if forbids(l) {
			problems = append(problems, Problem{Got: l.String(), Want: "must not " + remark})
		}
	}
	return problems, true
}

// checkRedacted: a value that must not be shown stands nowhere, neither as it
// is nor decoded or encoded.
func checkRedacted(want casefile.Expect, got Outcome) []Problem {
	var words []string
	entries := slices.Clone(want.Explained)
	if want.Drift != nil {
		entries = append(entries, *want.Drift...)
	}
	for _, entry := range entries {
		if !entry.Redact {
			continue
		}
		for _, raw := range []json.RawMessage{entry.Want, entry.Have} {
			var text string
			if json.Unmarshal(raw, &text) != nil {
				continue // absent, or no text
			}
			words = append(words, text)
			if plain, err := base64.StdEncoding.DecodeString(text); err == nil {
				words = append(words, string(plain))
			}
		}
	}
	return shown(got.Text, words)
}

// shown finds words in the text that must not be there; the problem does not
// repeat them.
func shown(text string, words []string) []Problem {
	for _, word := range words {
		if len(word) < 3 {
			continue // would be found by chance
		}
		for _, form := range []string{word, base64.StdEncoding.EncodeToString([]byte(word))} {
			if strings.Contains(text, form) {
				return []Problem{{Got: "a value in the report that must be hidden", Want: "no such value anywhere"}}
			}
		}
	}
	return nil
}

// CheckPlan checks that exactly that is deleted which may be, and of the verdicts
// what they decide about it: what must be
// kept is not given up, unless the drift says so.
func CheckPlan(want casefile.Expect, got Outcome) []Problem {
	if want.Plan == nil {
		return nil
	}
	problems := deletions(*want.Plan, got.Deleted)
	for _, keep := range want.Plan.Keep {
		for _, l := range got.Lines {
			if l.ID() == keep.ID() && hasClass(l, "prune") && l.Path == "" && !expectsRemoved(want, l.ID()) {
				problems = append(problems, Problem{Got: l.String(), Want: "kept " + keep.String()})
			}
		}
	}
	return problems
}

// deletions holds what would be deleted against what may be.
func deletions(want casefile.Plan, got []manifest.ID) []Problem {
	var problems []Problem
	for _, id := range got {
		if !slices.ContainsFunc(want.Prune, func(r casefile.Reference) bool { return r.ID() == id }) {
			problems = append(problems, Problem{Got: "deletes " + id.String(), Want: "kept: " + want.Refuse})
		}
	}
	for _, r := range want.Prune {
		if !slices.Contains(got, r.ID()) {
			problems = append(problems, Problem{Got: "keeps " + r.String(), Want: "deleted"})
		}
	}
	return problems
}

func expectsRemoved(want casefile.Expect, id manifest.ID) bool {
	return want.Drift != nil && slices.ContainsFunc(*want.Drift, func(e casefile.Entry) bool {
		return e.Object.ID() == id && e.Class == "prune"
	})
}
