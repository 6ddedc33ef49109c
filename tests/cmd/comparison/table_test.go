// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

const root = "../../.."

// TestDocumentIsFresh: what the document says of Holdfast is what the cases
// expect and the scenarios hold, which the tests beside this one prove.
func TestDocumentIsFresh(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "comparison.md"))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := corpus(root)
	if err != nil {
		t.Fatal(err)
	}
	want, err := written(string(text), root, cases)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("docs/comparison.md says of Holdfast what it does not do; make comparison writes it (-want +got):\n%s", diff)
	}
}

func TestJudged(t *testing.T) {
	edited := casefile.Entry{Path: "/data/a", Class: "manual", By: "kubectl-edit", Have: json.RawMessage(`1`)}
	for reason, tc := range map[string]struct {
		expect casefile.Expect
		want   string
	}{
		"nothing":   {casefile.Expect{Drift: &casefile.Entries{}}, "nothing counts"},
		"a default": {casefile.Expect{Explained: []casefile.Entry{{Path: "/a", Class: "default"}}}, "nothing counts"},
		"edited":    {casefile.Expect{Drift: &casefile.Entries{edited}}, "`Manual` at `/data/a`, by kubectl-edit"},
		"explained": {casefile.Expect{Explained: []casefile.Entry{{Path: "/a", Class: "controller", By: "x"}}}, "`Controller` at `/a`, by x: explained"},
		"nobody":    {casefile.Expect{Drift: &casefile.Entries{{Class: "orphan", By: "unknown"}}}, "`Stray`, writer unknown"},
		"masked":    {casefile.Expect{Drift: &casefile.Entries{{Class: "manual", Keyed: "/a[name=b]", Redact: true}}}, "`Manual` at `/a[name=b]`, masked"},
		"many":      {casefile.Expect{Drift: &casefile.Entries{edited, edited, edited}}, "`Manual` at `/data/a`, by kubectl-edit; `Manual` at `/data/a`, by kubectl-edit; and 1 more"},
		"a render":  {casefile.Expect{Render: &casefile.Rendered{Warn: "differs"}}, "warned: differs"},
	} {
		if got := judged(tc.expect); got != tc.want {
			t.Errorf("%s: got %q, want %q", reason, got, tc.want)
		}
	}
}

// TestWritten: only our column is touched, what a person added stays, and a row
// about nothing is an error.
func TestWritten(t *testing.T) {
	cases := map[string]casefile.Case{"drift/42-key": {Expect: casefile.Expect{Drift: &casefile.Entries{{Path: "/data/a", Class: "manual"}}}}}
	const head = heading + "\n\n| change | case | Holdfast | others |\n| --- | --- | --- | --- |\n"
	got, err := written(head+"| key | `42-key` | old<br>by hand | nothing [A1] |\n", root, cases)
	if want := head + "| key | `42-key` | `Manual` at `/data/a`<br>by hand | nothing [A1] |\n"; err != nil || got != want {
		t.Errorf("got %q %v, want %q", got, err, want)
	}
	for reason, row := range map[string]string{
		"no such case":     "| key | `43-gone` | x | y |\n",
		"no such scenario": "| key | `tests/scenario/gone.txtar` | x | y |\n",
		"no row":           "",
	} {
		if text, err := written(head+row, root, cases); err == nil {
			t.Errorf("%s: %q", reason, text)
		}
	}
}
