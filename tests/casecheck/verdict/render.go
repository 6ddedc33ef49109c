// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// RenderOutcome is what a render gave.
type RenderOutcome struct {
	Objects  []RenderedObject
	Warnings []string
	Err      error
}

// RenderedObject is one object of a render.
type RenderedObject struct {
	ID      manifest.ID
	Content map[string]any
}

// CheckRender compares a render with what is expected of it.
func CheckRender(want casefile.Rendered, got RenderOutcome) []Problem {
	if len(want.AnyOf) > 0 {
		return checkAnyOf(want.AnyOf, got)
	}
	if want.Error != nil {
		return checkError(*want.Error, got.Err)
	}
	if got.Err != nil {
		return []Problem{{Got: "error " + got.Err.Error(), Want: "a render"}}
	}
	var problems []Problem
	if want.Objects != nil {
		problems = append(problems, checkObjects(want.Objects, got.Objects)...)
	}
	for _, value := range want.Values {
		problems = append(problems, checkRenderedValue(value, got.Objects)...)
	}
	if want.Warn != "" && !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, want.Warn) }) {
		problems = append(problems, Problem{Got: fmt.Sprintf("warnings %q", got.Warnings), Want: want.Warn})
	}
	return problems
}

func checkAnyOf(want []*casefile.Rendered, got RenderOutcome) []Problem {
	var all []Problem
	for _, one := range want {
		problems := CheckRender(*one, got)
		if len(problems) == 0 {
			return nil
		}
		all = append(all, problems...)
	}
	return all
}

func checkError(want casefile.Mentions, got error) []Problem {
	if got == nil {
		return []Problem{{Got: "a render", Want: fmt.Sprintf("an error that names %s", strings.Join(append(want.Mentions, want.File), ", "))}}
	}
	var problems []Problem
	for _, word := range append([]string{want.File}, want.Mentions...) {
		if !strings.Contains(got.Error(), word) {
			problems = append(problems, Problem{Got: "error " + got.Error(), Want: "one that names " + word})
		}
	}
	return problems
}

func checkObjects(want casefile.References, got []RenderedObject) []Problem {
	var problems []Problem
	left := slices.Clone(got)
	for _, reference := range want {
		i := slices.IndexFunc(left, func(o RenderedObject) bool {
			return o.ID == reference.ID() && o.Content["apiVersion"] == reference.APIVersion
		})
		if i < 0 {
			problems = append(problems, Problem{Got: "no such object", Want: reference.String()})
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, o := range left {
		problems = append(problems, Problem{Got: o.ID.String(), Want: "no such object"})
	}
	return problems
}

func checkRenderedValue(want casefile.Value, got []RenderedObject) []Problem {
	where := want.Object.String() + at(want.Path)
	expected, err := decode(want.Value)
	if err != nil {
		return []Problem{{Got: err.Error(), Want: where + " as JSON"}}
	}
	for _, o := range got {
		if o.ID != want.Object.ID() {
			continue
		}
		var value any = o.Content
		for _, token := range keyedpath.Tokens(want.Path) {
			value = member(value, token)
		}
		if reflect.DeepEqual(value, expected) {
			return nil
		}
		return []Problem{{Got: fmt.Sprintf("%s %#v", where, value), Want: string(want.Value)}}
	}
	return []Problem{{Got: "no " + want.Object.String(), Want: where + " " + string(want.Value)}}
}
