// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

func TestCheckRender(t *testing.T) {
	a := casefile.Reference{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	rendered := RenderOutcome{
		Objects: []RenderedObject{{ID: a.ID(), Content: map[string]any{
			"apiVersion": "v1", "data": map[string]any{"k": "on"}, "list": []any{map[string]any{"n": int64(5)}},
		}}},
		Warnings: []string{"chart: two renders of the same revision differ: x"},
	}
	failed := RenderOutcome{Err: errors.New("bad.yaml:3: LEVEL stands twice")}
	value := func(path, json string) []casefile.Value {
		return []casefile.Value{{Object: a, Path: path, Value: raw(json)}}
	}
	wrong := &casefile.Rendered{Warn: "no such"}
	tests := map[string]struct {
		reason string
		want   casefile.Rendered
		got    RenderOutcome
		right  bool
	}{
		"objects":      {reason: "complete", want: casefile.Rendered{Objects: casefile.References{a}}, got: rendered, right: true},
		"too many":     {reason: "none is expected", want: casefile.Rendered{Objects: casefile.References{}}, got: rendered},
		"too few":      {reason: "one is missing", want: casefile.Rendered{Objects: casefile.References{a}}},
		"other":        {reason: "another version", want: casefile.Rendered{Objects: casefile.References{{APIVersion: "v2", Kind: a.Kind, Namespace: a.Namespace, Name: a.Name}}}, got: rendered},
		"value":        {reason: "equal", want: casefile.Rendered{Values: value("/data/k", `"on"`)}, got: rendered, right: true},
		"in a list":    {reason: "by position", want: casefile.Rendered{Values: value("/list/0/n", `5`)}, got: rendered, right: true},
		"typed":        {reason: "a text is no boolean", want: casefile.Rendered{Values: value("/data/k", `true`)}, got: rendered},
		"error":        {reason: "file and key named", want: casefile.Rendered{Error: &casefile.Mentions{File: "bad.yaml", Mentions: []string{"LEVEL"}}}, got: failed, right: true},
		"not named":    {reason: "another key", want: casefile.Rendered{Error: &casefile.Mentions{File: "bad.yaml", Mentions: []string{"PORT"}}}, got: failed},
		"no error":     {reason: "it must fail", want: casefile.Rendered{Error: &casefile.Mentions{File: "bad.yaml"}}, got: rendered},
		"failed":       {reason: "it must not fail", want: casefile.Rendered{Objects: casefile.References{a}}, got: failed},
		"warned":       {reason: "as said", want: casefile.Rendered{Warn: "two renders of the same revision differ"}, got: rendered, right: true},
		"not warned":   {reason: "nothing of the kind", want: *wrong, got: rendered},
		"one of them":  {reason: "each is right", want: casefile.Rendered{AnyOf: []*casefile.Rendered{wrong, {Objects: casefile.References{a}}}}, got: rendered, right: true},
		"none of them": {reason: "none is right", want: casefile.Rendered{AnyOf: []*casefile.Rendered{wrong}}, got: rendered},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if problems := CheckRender(test.want, test.got); (len(problems) == 0) != test.right {
				t.Errorf("%s: problems %v", test.reason, problems)
			}
		})
	}
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }
