// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"strings"
	"testing"
	"time"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// carrying is an object with ignore rules of its own.
func carrying(t *testing.T, s sample, rules string, allowed bool) Input {
	t.Helper()
	in := s.input(t)
	in.OwnRules = allowed
	in.Desired.SetAnnotations(map[string]string{contract.IgnoreAnnotation: rules})
	return in
}

func TestOwnRules(t *testing.T) {
	edited := sample{desired: host("db"), writes: []write{helm(host("db")), edit(host("db-2"))}}
	const good = "- {paths: [/data/HOST], reason: told to}"
	cases := map[string]struct {
		reason  string
		rules   string
		allowed bool
		hidden  bool
		refused string // words; empty: obeyed
	}{
		"allowed":          {"the object hides its own field", good, true, true, ""},
		"not allowed":      {"the Project decides, and a refusal is said", good, false, false, "allowIgnoreAnnotations"},
		"another path":     {"nothing else", "- {paths: [/data/PORT], reason: told to}", true, false, ""},
		"its manager":      {"narrow as any rule", "- {paths: [/data/HOST], managers: [kubectl-edit], reason: r}", true, true, ""},
		"another manager":  {"narrow as any rule", "- {paths: [/data/HOST], managers: [x], reason: r}", true, false, ""},
		"its value":        {"narrow as any rule", `- {paths: [/data/HOST], values: ['db-\d'], reason: r}`, true, true, ""},
		"not ended":        {"until its end", "- {paths: [/data/HOST], reason: r, until: '2026-11-30T12:00:01Z'}", true, true, ""},
		"ended":            {"and no longer", "- {paths: [/data/HOST], reason: r, until: '2026-11-30T11:00:00Z'}", true, false, ""},
		"the second":       {"as many as it needs", "- {paths: [/data/PORT], reason: r}\n" + good, true, true, ""},
		"no reason":        {"a reason is required", "- {paths: [/data/HOST]}", true, false, "no reason"},
		"no path":          {"a rule names its fields", "- {reason: r}", true, false, "0 paths"},
		"the whole object": {"a rule hides differences, not objects", "- {paths: [/data], reason: r}", true, false, "whole object"},
		"no list":          {"what cannot be read is not obeyed", "paths: [/data/HOST]", true, false, "no list of rules"},
		"unknown field":    {"a misspelt end must not be no end", "- {paths: [/data/HOST], reason: r, untill: '2026-12-01T00:00:00Z'}", true, false, "no list of rules"},
		"bad expression":   {"what cannot be read is not obeyed", "- {paths: [/data/HOST], values: ['('], reason: r}", true, false, "values[0]"},
		"too many":         {"bounded", strings.Repeat(good+"\n", 17), true, false, "the most are 16"},
		"too long":         {"bounded", good + strings.Repeat(" ", 16<<10), true, false, "the most are 16384"},
		"nothing in it":    {"no rule hides nothing", "[]", true, false, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := Judge(carrying(t, edited, tc.rules, tc.allowed))
			j := o.Judgements[len(o.Judgements)-1]
			if (j.Rule == OwnRule) != tc.hidden || j.Drift == tc.hidden || j.Hidden() != tc.hidden {
				t.Errorf("%s: want hidden %t, got rule %d, drift %t", tc.reason, tc.hidden, j.Rule, j.Drift)
			}
			if !o.Own.Carried || o.Own.Refused != (tc.refused != "") {
				t.Errorf("%s: carried %t, refused %t", tc.reason, o.Own.Carried, o.Own.Refused)
			}
			if tc.refused != "" && (len(o.Refused) != 1 || !strings.Contains(o.Refused[0].Why, tc.refused)) {
				t.Errorf("%s: want words %q, got %v", tc.reason, tc.refused, o.Refused)
			}
		})
	}
}

// TestOwnRulesOfTheLiveObject: a hand that edits a field cannot hide it by an
// annotation.
func TestOwnRulesOfTheLiveObject(t *testing.T) {
	in := sample{desired: host("db"), writes: []write{helm(host("db")), edit(host("x"))}}.input(t)
	in.OwnRules = true
	in.Observation.Live.SetAnnotations(map[string]string{contract.IgnoreAnnotation: "- {paths: [/data/HOST], reason: r}"})
	o := Judge(in)
	if o.Verdict != api.VerdictDrifted || o.Own.Carried {
		t.Errorf("the hand hid itself: %v", told(o))
	}
}

// TestOwnRuleEnds: the end of an annotation's rule is no news of the object, so
// a judgement says when to look again.
func TestOwnRuleEnds(t *testing.T) {
	const rules = "- {paths: [/data/A], reason: r, until: '2026-11-30T14:00:00Z'}\n- {paths: [/data/HOST], reason: r, until: '2026-11-30T13:00:00Z'}\n" +
		"- {paths: [/data/B], reason: r, until: '2026-11-30T11:00:00Z'}"
	in := carrying(t, sample{desired: host("db"), writes: []write{helm(host("db")), edit(host("x"))}}, rules, true)
	if got, want := Judge(in).Own.Ends, now.Add(time.Hour); !got.Equal(want) {
		t.Errorf("want the next end %s, got %s", want, got)
	}
	in.Now = now.Add(90 * time.Minute)
	o := Judge(in)
	if j := o.Judgements[len(o.Judgements)-1]; !j.Drift || !j.Ended {
		t.Errorf("past its end the field shows again, as backlog: %+v", told(o))
	}
}

// TestRuleOverAWholeObject: a rule that leaves nothing of an object to judge is
// refused for it, and goes on for others; one that names each field knows what
// it does.
func TestRuleOverAWholeObject(t *testing.T) {
	wide := deployment + "spec: {replicas: 1, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: api, image: 'i:1'}]}}}\n"
	cases := map[string]struct {
		reason  string
		desired string
		paths   []string
		refused bool
	}{
		"all but nothing":   {"nothing is left", wide, []string{"/spec/replicas", "/spec/template"}, true},
		"one is left":       {"replicas are judged", wide, []string{"/spec/template"}, false},
		"field by field":    {"each is named", host("db"), []string{"/data/HOST"}, false},
		"one struct":        {"its only content by a wider path", deployment + "spec: {template: {metadata: {labels: {a: b}}}}\n", []string{"/spec/template"}, true},
		"nothing but a key": {"metadata alone are no content", labelled("a: b"), []string{"/metadata/labels"}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := sample{desired: tc.desired, writes: []write{helm(tc.desired)}}.input(t)
			var err error
			in.Ignore, err = CompileIgnore([]api.IgnoreRule{{Target: api.IgnoreTarget{Kind: in.Observation.ID.Kind}, Paths: tc.paths, Reason: "r"}})
			if err != nil {
				t.Fatal(err)
			}
			if o := Judge(in); (len(o.Refused) > 0) != tc.refused {
				t.Errorf("%s: %v", tc.reason, o.Refused)
			}
		})
	}
}
