// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"encoding/json"
	"testing"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

func TestMustNot(t *testing.T) {
	secret := Line{
		DriftEntry: api.DriftEntry{
			Object: api.ObjectReference{Version: "v1", Kind: "Secret", Namespace: "shop", Name: "login"}, Class: api.ClassStray,
		},
		Indexed: "/data/password", Heal: true,
	}
	tests := map[string]struct {
		reason, remark string
		text           string
		lines          []Line
		right          bool
	}{
		"listed":     {reason: "as an orphan", remark: "list Secret shop/login as orphan or prune", lines: []Line{secret}},
		"other":      {reason: "another object", remark: "list Secret shop/token as orphan or prune", lines: []Line{secret}, right: true},
		"class":      {reason: "this class there", remark: "class orphan for /data/password", lines: []Line{secret}},
		"elsewhere":  {reason: "another path", remark: "class orphan for /data/user", lines: []Line{secret}, right: true},
		"rewritten":  {reason: "it would be healed", remark: "rewrite the Secret at every reconcile", lines: []Line{secret}},
		"printed":    {reason: "in plain", remark: "print correct-horse, staple or their base64 form anywhere", text: "is correct-horse now"},
		"encoded":    {reason: "in base64", remark: "print correct-horse or their base64 form anywhere", text: "Y29ycmVjdC1ob3JzZQ=="},
		"hidden":     {reason: "nowhere", remark: "print correct-horse or their base64 form anywhere", text: "(masked 12)", right: true},
		"not for us": {reason: "left to a reader", remark: "be slow", text: "", right: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := casefile.Expect{MustNot: []string{test.remark}}
			problems := Check(want, Outcome{Lines: test.lines, Text: test.text}, Rigor{})
			if (len(problems) == 0) != test.right {
				t.Errorf("%s: problems %v", test.reason, problems)
			}
		})
	}
	if got := Unchecked(casefile.Expect{MustNot: []string{"be slow", "class manual for /x"}}); len(got) != 1 || got[0] != "be slow" {
		t.Errorf("remarks that nobody checks: %q", got)
	}
}

// TestRedacted: the value of a redacted entry is compared by digest, and stands
// nowhere in what leaves.
func TestRedacted(t *testing.T) {
	line, entry := edited()
	entry.Redact = true
	entry.Want, entry.Have = json.RawMessage(`"Y29ycmVjdA=="`), json.RawMessage(`"YmF0dGVyeQ=="`)
	line.Wanted = &api.Value{JSON: `"(masked)"`, Digest: key.Digest("Y29ycmVjdA=="), Masked: true}
	line.Live = &api.Value{JSON: `"(masked)"`, Digest: key.Digest("YmF0dGVyeQ=="), Masked: true}
	want := casefile.Expect{Drift: &casefile.Entries{entry}}
	if got := Check(want, Outcome{Lines: []Line{line}, Key: key}, Rigor{}); len(got) != 0 {
		t.Errorf("masked and right: %v", got)
	}
	if got := Check(want, Outcome{Lines: []Line{line}, Key: key, Text: "battery"}, Rigor{}); len(got) != 1 {
		t.Errorf("decoded in the text: %v", got)
	}
	line.Live.Digest = key.Digest("another")
	if got := Check(want, Outcome{Lines: []Line{line}, Key: key}, Rigor{}); len(got) != 1 {
		t.Errorf("another value behind the mask: %v", got)
	}
}

func TestCheckPlan(t *testing.T) {
	line, _ := edited()
	line.Class, line.Path, line.Indexed = api.ClassRemoved, "", ""
	want := casefile.Expect{Plan: &casefile.Plan{Keep: casefile.References{web}}}
	if got := CheckPlan(want, Outcome{Lines: []Line{line}}); len(got) != 1 {
		t.Errorf("what must be kept is given up: %v", got)
	}
	want.Drift = &casefile.Entries{{Object: web, Class: "prune"}}
	if got := CheckPlan(want, Outcome{Lines: []Line{line}}); len(got) != 0 {
		t.Errorf("a candidate that must survive: %v", got)
	}
}
