// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"encoding/json"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

var key = mask.Key("k")

var web = casefile.Reference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}

// edited is a line and the entry that it is right for.
func edited() (Line, casefile.Entry) {
	when := metav1.NewTime(time.Date(2026, 5, 4, 9, 15, 0, 0, time.UTC))
	line := Line{
		DriftEntry: api.DriftEntry{
			Object: api.ObjectReference{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "shop", Name: "web"},
			Path:   "/spec/containers/[name=app]/image", Kind: api.Changed, Class: api.ClassManual, Drift: true,
			Wanted: &api.Value{JSON: `"a:1"`}, Live: &api.Value{JSON: `"a:2"`},
			Managers: []api.FieldManager{{Name: "kubectl-set", Operation: "Update", LastWrite: &when}},
		},
		Indexed: "/spec/containers/0/image", Heal: true, Listed: true,
	}
	heal := true
	entry := casefile.Entry{
		Object: web, Path: "/spec/containers/0/image", Keyed: "/spec/containers[name=app]/image", Class: "manual",
		Want: json.RawMessage(`"a:1"`), Have: json.RawMessage(`"a:2"`), By: "kubectl-set", Operation: "Update",
		At: "2026-05-04T09:15:00Z", Heal: &heal,
	}
	return line, entry
}

// TestDriftMustBeExactly spoils one thing at a time: each must be noticed.
func TestDriftMustBeExactly(t *testing.T) {
	tests := map[string]struct {
		reason string
		spoil  func(l *Line, e *casefile.Entry)
		rigor  Rigor
		right  bool
	}{
		"nothing":     {reason: "the entry is right", spoil: func(*Line, *casefile.Entry) {}, right: true},
		"object":      {reason: "another object", spoil: func(l *Line, _ *casefile.Entry) { l.Object.Name = "api" }},
		"path":        {reason: "another place", spoil: func(l *Line, _ *casefile.Entry) { l.Indexed = "/spec/containers/1/image" }},
		"keyed":       {reason: "another item", spoil: func(l *Line, _ *casefile.Entry) { l.Path = "/spec/containers/[name=b]/image" }},
		"class":       {reason: "another class", spoil: func(l *Line, _ *casefile.Entry) { l.Class = api.ClassContested }},
		"any class":   {reason: "the class is not asserted", spoil: func(_ *Line, e *casefile.Entry) { e.Class = "any" }, right: true},
		"explained":   {reason: "it must count", spoil: func(l *Line, _ *casefile.Entry) { l.Drift = false }},
		"want":        {reason: "another wanted value", spoil: func(l *Line, _ *casefile.Entry) { l.Wanted.JSON = `"a:3"` }},
		"want type":   {reason: "a number is no text", spoil: func(l *Line, e *casefile.Entry) { l.Wanted.JSON, e.Want = `16`, json.RawMessage(`"16"`) }},
		"no want":     {reason: "Git must have such a field", spoil: func(l *Line, _ *casefile.Entry) { l.Wanted = nil }},
		"want left":   {reason: "Git has no such field", spoil: func(_ *Line, e *casefile.Entry) { e.Want = nil }},
		"have":        {reason: "another live value", spoil: func(l *Line, _ *casefile.Entry) { l.Live.JSON = `"a:3"` }},
		"have left":   {reason: "live has no such field", spoil: func(_ *Line, e *casefile.Entry) { e.Have = nil }},
		"have exists": {reason: "any live value will do", spoil: func(_ *Line, e *casefile.Entry) { e.Have, e.HavePresent = nil, true }, right: true},
		"have gone":   {reason: "there must be one", spoil: func(l *Line, e *casefile.Entry) { l.Live, e.Have, e.HavePresent = nil, nil, true }},
		"by":          {reason: "another writer", spoil: func(l *Line, _ *casefile.Entry) { l.Managers[0].Name = "helm" }},
		"by unknown":  {reason: "nobody may be named", spoil: func(_ *Line, e *casefile.Entry) { e.By = "unknown" }},
		"co-owner":    {reason: "the writer is among those named", spoil: func(l *Line, _ *casefile.Entry) { l.Managers = append([]api.FieldManager{{Name: "x"}}, l.Managers...) }, right: true},
		"operation":   {reason: "another operation", spoil: func(l *Line, _ *casefile.Entry) { l.Managers[0].Operation = "Apply" }},
		"subresource": {reason: "another subresource", spoil: func(_ *Line, e *casefile.Entry) { scale := "scale"; e.Subresource = &scale }},
		"at":          {reason: "another time", spoil: func(_ *Line, e *casefile.Entry) { e.At = "2026-05-04T09:15:01Z" }},
		"acted at":    {reason: "a state made anew has times of now", spoil: func(_ *Line, e *casefile.Entry) { e.At = "2026-05-04T09:15:01Z" }, rigor: Rigor{Reenacted: true}, right: true},
		"heal":        {reason: "it may be healed", spoil: func(l *Line, _ *casefile.Entry) { l.Heal = false }},
		"shown":       {reason: "the value must be hidden", spoil: func(_ *Line, e *casefile.Entry) { e.Redact = true }},
		"exact int": {reason: "2^53+1 is not 2^53", spoil: func(l *Line, e *casefile.Entry) {
			l.Wanted.JSON, e.Want = `9007199254740992`, json.RawMessage(`9007199254740993`)
		}},
		"Git's words": {reason: "the server's form of what Git says", spoil: func(l *Line, e *casefile.Entry) {
			l.Wanted.JSON, e.Want, l.Forms = `"1000m"`, json.RawMessage(`"1"`), []any{"1000m", "1"}
		}, right: true},
		"other words": {reason: "no form of what Git says", spoil: func(l *Line, e *casefile.Entry) {
			l.Wanted.JSON, e.Want, l.Forms = `"1000m"`, json.RawMessage(`"2"`), []any{"1000m", "1"}
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			line, entry := edited()
			test.spoil(&line, &entry)
			want := casefile.Expect{Drift: &casefile.Entries{entry}}
			problems := Check(want, Outcome{Lines: []Line{line}, Key: key}, test.rigor)
			if (len(problems) == 0) != test.right {
				t.Errorf("%s: problems %v", test.reason, problems)
			}
		})
	}
}

func TestDriftIsComplete(t *testing.T) {
	line, entry := edited()
	if got := Check(casefile.Expect{Drift: &casefile.Entries{}}, Outcome{Lines: []Line{line}}, Rigor{}); len(got) != 1 {
		t.Errorf("an entry that is not expected: %v", got)
	}
	if got := Check(casefile.Expect{Drift: &casefile.Entries{entry}}, Outcome{}, Rigor{}); len(got) != 1 {
		t.Errorf("an entry that is missing: %v", got)
	}
	stray := line
	stray.Class, stray.Drift = api.ClassStray, false
	if got := Check(casefile.Expect{Drift: &casefile.Entries{}}, Outcome{Lines: []Line{stray}}, Rigor{}); len(got) != 1 {
		t.Errorf("strays stand in drift as well: %v", got)
	}
	if got := Check(casefile.Expect{}, Outcome{Lines: []Line{line}}, Rigor{}); len(got) != 0 {
		t.Errorf("nothing is said about drift: %v", got)
	}
}

// TestUnknownWithoutDryRun: an object may be Unknown where there is no dry run,
// and nowhere else.
func TestUnknownWithoutDryRun(t *testing.T) {
	_, entry := edited()
	got := Outcome{Unknown: map[manifest.ID]string{web.ID(): "no schema"}}
	want := casefile.Expect{Drift: &casefile.Entries{entry}}
	if problems := Check(want, got, Rigor{DeclaredFields: true}); len(problems) != 0 {
		t.Errorf("without a dry run: %v", problems)
	}
	if problems := Check(want, got, Rigor{}); len(problems) != 1 {
		t.Errorf("with a dry run: %v", problems)
	}
}

func TestNoMoreThan(t *testing.T) {
	line, _ := edited()
	if got := NoMoreThan(Outcome{Lines: []Line{line}}, Outcome{}); len(got) != 1 {
		t.Errorf("a difference that a dry run does not show: %v", got)
	}
	if got := NoMoreThan(Outcome{Lines: []Line{line}}, Outcome{Lines: []Line{line}}); len(got) != 0 {
		t.Errorf("the same difference: %v", got)
	}
}

// TestNoLessThan: what Git declares or a person wrote is seen without a dry run,
// or the object is Unknown.
func TestNoLessThan(t *testing.T) {
	person, _ := edited()
	person.Managers[0].Role = "Human"
	program, _ := edited()
	program.Managers[0].Role = "Deployer"
	declared, item, gone := program, person, program
	declared.Declared = true
	item.Path = "/spec/containers/[name=app]"
	gone.Path = ""
	for reason, tc := range map[string]struct {
		with, without Outcome
		right         bool
	}{
		"a person's":           {Outcome{Lines: []Line{person}}, Outcome{}, false},
		"Git declares it":      {Outcome{Lines: []Line{declared}}, Outcome{}, false},
		"the object itself":    {Outcome{Lines: []Line{gone}}, Outcome{}, false},
		"a program's addition": {Outcome{Lines: []Line{program}}, Outcome{}, true},
		"seen":                 {Outcome{Lines: []Line{person}}, Outcome{Lines: []Line{person}}, true},
		"seen a step above":    {Outcome{Lines: []Line{person}}, Outcome{Lines: []Line{item}}, true},
		"unknown":              {Outcome{Lines: []Line{person}}, Outcome{Unknown: map[manifest.ID]string{web.ID(): "no schema"}}, true},
	} {
		if got := NoLessThan(tc.without, tc.with); (len(got) == 0) != tc.right {
			t.Errorf("%s: %v", reason, got)
		}
	}
}

func TestExplained(t *testing.T) {
	line, entry := edited()
	line.Class, line.Drift, line.Heal = api.ClassController, false, false
	heal := false
	entry = casefile.Entry{Object: entry.Object, Path: entry.Path, Class: "controller", Heal: &heal}
	tests := map[string]struct {
		reason string
		entry  func(casefile.Entry) casefile.Entry
		lines  []Line
		right  bool
	}{
		"listed":     {reason: "with this class", lines: []Line{line}, right: true},
		"not listed": {reason: "it may be left out", right: true},
		"must be": {
			reason: "unless the note says otherwise",
			entry:  func(e casefile.Entry) casefile.Entry { e.Note = "must be reported with this class"; return e },
		},
		"class": {
			reason: "not with another class", lines: []Line{line},
			entry: func(e casefile.Entry) casefile.Entry { e.Class = "default"; return e },
		},
		"below": {
			reason: "what lies below counts as well", lines: []Line{line},
			entry: func(e casefile.Entry) casefile.Entry { e.Path, e.Class = "/spec/containers", "default"; return e },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := entry
			if test.entry != nil {
				e = test.entry(e)
			}
			problems := Check(casefile.Expect{Explained: []casefile.Entry{e}}, Outcome{Lines: test.lines}, Rigor{})
			if (len(problems) == 0) != test.right {
				t.Errorf("%s: problems %v", test.reason, problems)
			}
		})
	}
}
