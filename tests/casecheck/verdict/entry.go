// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// unknownWriter in an expectation means that nobody may be named.
const unknownWriter = "unknown"

// checkEntry compares one entry. An entry of drift also says something by the
// values that it leaves out; one that is explained does not.
func (c checker) checkEntry(want casefile.Entry, got Line, complete bool) []Problem {
	var problems []Problem
	wrong := func(got, want string) {
		problems = append(problems, Problem{Got: got, Want: want})
	}
	where := got.ID().String() + at(got.Indexed)
	if !hasClass(got, want.Class) {
		wrong(got.String()+" ("+got.Explanation+")", describe(want))
	}
	if want.Keyed != "" && got.Path != withSlashes(want.Keyed) {
		wrong("path "+got.Path, "path "+withSlashes(want.Keyed))
	}
	for _, side := range []side{
		{name: "want", raw: want.Want, got: got.Wanted, absent: complete, forms: got.Forms},
		{name: "have", raw: want.Have, got: got.Live, absent: complete && !want.HavePresent, anyValue: want.HavePresent},
	} {
		if problem := side.check(c.got.Key, c.rigor); problem != "" {
			wrong(where+": "+problem, side.expected(want.Redact))
		}
	}
	problems = append(problems, c.checkWriter(want, got)...)
	problems = append(problems, checkHeal(want, got)...)
	if want.Redact && got.Path != "" && !masked(got) {
		wrong(where+": its value is shown", "a masked value")
	}
	return problems
}

func masked(l Line) bool {
	for _, v := range []*api.Value{l.Wanted, l.Live} {
		if v != nil && !v.Masked && v.JSON != `""` { // an empty text hides nothing
			return false
		}
	}
	return true
}

func checkHeal(want casefile.Entry, got Line) []Problem {
	if want.Heal == nil || *want.Heal == got.Heal {
		return nil
	}
	return []Problem{{
		Got:  fmt.Sprintf("%s heal %v", got, got.Heal),
		Want: fmt.Sprintf("heal %v", *want.Heal),
	}}
}

// checkWriter: the manager must be among those named, with its own operation,
// subresource and time.
func (c checker) checkWriter(want casefile.Entry, got Line) []Problem {
	where := got.String()
	if want.By == "" {
		return nil
	}
	if want.By == unknownWriter {
		if len(got.Managers) == 0 {
			return nil
		}
		return []Problem{{Got: where + " by " + names(got.Managers), Want: "by nobody that is known"}}
	}
	var wrong []string
	for _, m := range got.Managers {
		if m.Name != want.By {
			continue
		}
		if differs := checkManager(want, m, c.rigor); differs != "" {
			wrong = append(wrong, differs)
			continue
		}
		return nil
	}
	if len(wrong) > 0 {
		return []Problem{{Got: where + " by " + want.By + " with " + strings.Join(wrong, "; "), Want: writer(want)}}
	}
	return []Problem{{Got: where + " by " + names(got.Managers), Want: writer(want)}}
}

func checkManager(want casefile.Entry, got api.FieldManager, rigor Rigor) string {
	if want.Operation != "" && got.Operation != want.Operation {
		return "operation " + got.Operation
	}
	if want.Subresource != nil && got.Subresource != *want.Subresource {
		return "subresource " + got.Subresource
	}
	if want.At == "" || rigor.Reenacted {
		return ""
	}
	when, err := time.Parse(time.RFC3339, want.At)
	if err != nil {
		return "a time to compare with that is none: " + want.At
	}
	if got.LastWrite == nil || !got.LastWrite.Time.Equal(when) {
		return fmt.Sprintf("last write %v", got.LastWrite)
	}
	return ""
}

func writer(want casefile.Entry) string {
	return strings.TrimSpace(fmt.Sprintf("by %s %s %s", want.By, want.Operation, want.At))
}

func names(managers []api.FieldManager) string {
	if len(managers) == 0 {
		return "nobody"
	}
	var all []string
	for _, m := range managers {
		all = append(all, m.Name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

var bracket = regexp.MustCompile(`([^/])\[`)

// withSlashes turns the cases' containers[name=app] into our
// containers/[name=app].
func withSlashes(keyed string) string { return bracket.ReplaceAllString(keyed, "$1/[") }
