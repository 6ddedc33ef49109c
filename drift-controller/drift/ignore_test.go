// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

func TestIgnore(t *testing.T) {
	rule := func(change func(*api.IgnoreRule)) []api.IgnoreRule {
		r := api.IgnoreRule{Target: api.IgnoreTarget{Kind: "ConfigMap"}, Paths: []string{"/data/HOST"}, Reason: "told to"}
		change(&r)
		return []api.IgnoreRule{r}
	}
	edited := sample{desired: host("db"), writes: []write{helm(host("db")), edit(host("db-2"))}}
	byProgram := sample{desired: host("db"), writes: []write{helm(host("db")), controller(host("db-2"))}}
	at := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(d)} }
	cases := map[string]struct {
		reason string
		sample
		rules []api.IgnoreRule
		want  int // the rule that hides it, or -1
	}{
		"by path": {"the path and the kind are named", edited, rule(func(*api.IgnoreRule) {}), 0},
		"above": {
			"a path hides what is in it", sample{desired: sized("1"), writes: []write{edit(sized("2"))}},
			rule(func(r *api.IgnoreRule) {
				r.Target.Kind, r.Paths = "Deployment", []string{"/spec/x", "/spec/template/spec/containers/[name=api]/resources"}
			}), 0,
		},
		"another path":      {"nothing else", edited, rule(func(r *api.IgnoreRule) { r.Paths = []string{"/data/HOST2", "/data/HO"} }), -1},
		"another kind":      {"a kind is named", edited, rule(func(r *api.IgnoreRule) { r.Target.Kind = "Secret" }), -1},
		"its group":         {"the core group is empty", edited, rule(func(r *api.IgnoreRule) { r.Target.Group = ptr.To("") }), 0},
		"another group":     {"and no other", edited, rule(func(r *api.IgnoreRule) { r.Target.Group = ptr.To("x.io") }), -1},
		"its name":          {"by name", edited, rule(func(r *api.IgnoreRule) { r.Target.Name = "a" }), 0},
		"its name by star":  {"or a part of it", edited, rule(func(r *api.IgnoreRule) { r.Target.Name = "a*" }), 0},
		"another name":      {"no other object", edited, rule(func(r *api.IgnoreRule) { r.Target.Name = "b" }), -1},
		"its namespace":     {"by namespace", edited, rule(func(r *api.IgnoreRule) { r.Target.Namespace = "shop" }), 0},
		"another namespace": {"no other one", edited, rule(func(r *api.IgnoreRule) { r.Target.Namespace = "prod" }), -1},
		"its manager":       {"while that manager owns it", byProgram, rule(func(r *api.IgnoreRule) { r.Managers = []string{"x", "some-operator"} }), 0},
		"another manager":   {"a hand is not what was described", edited, rule(func(r *api.IgnoreRule) { r.Managers = []string{"some-operator"} }), -1},
		"its value":         {"while live matches", edited, rule(func(r *api.IgnoreRule) { r.Values = []string{`db-\d`} }), 0},
		"a part of it":      {"as a whole", edited, rule(func(r *api.IgnoreRule) { r.Values = []string{"db"} }), -1},
		"one of two that begin alike": {
			"the longer one counts", edited, rule(func(r *api.IgnoreRule) { r.Values = []string{"db|db-2"} }), 0,
		},
		"value and manager": {"both have to hold", byProgram, rule(func(r *api.IgnoreRule) { r.Values, r.Managers = []string{"x"}, []string{"some-operator"} }), -1},
		"not yet ended":     {"until its end", edited, rule(func(r *api.IgnoreRule) { r.Until = at(time.Second) }), 0},
		"at its end":        {"the end itself is in it", edited, rule(func(r *api.IgnoreRule) { r.Until = at(0) }), 0},
		"ended":             {"past it the field shows again", edited, rule(func(r *api.IgnoreRule) { r.Until = at(-time.Second) }), -1},
		"the second":        {"the first that fits is the one that is named", edited, append(rule(func(r *api.IgnoreRule) { r.Target.Kind = "Secret" }), append(rule(func(*api.IgnoreRule) {}), rule(func(*api.IgnoreRule) {})...)...), 1},
		"explained already": {"what is no drift needs no rule", sample{desired: configMap, writes: []write{controller(host("x"))}}, rule(func(*api.IgnoreRule) {}), -1},
		"an item": {
			"list items by their keys", sample{desired: sized("1"), writes: []write{edit(sized("2"))}},
			rule(func(r *api.IgnoreRule) {
				r.Target.Kind, r.Paths = "Deployment", []string{"/spec/template/spec/containers/[name=api]/resources"}
			}), 0,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := tc.input(t)
			var err error
			if in.Ignore, err = CompileIgnore(tc.rules); err != nil {
				t.Fatal(err)
			}
			o := Judge(in)
			j := o.Judgements[0]
			if j.Rule != tc.want {
				t.Fatalf("%s: want rule %d, got %d", tc.reason, tc.want, j.Rule)
			}
			if hidden := tc.want >= 0; hidden && (j.Drift || j.Heal || o.Verdict != api.VerdictInSync || j.Explanation != "ignored: told to") {
				t.Errorf("%s: a hidden difference neither counts nor is healed, and says why: %v", tc.reason, told(o))
			}
		})
	}
}

// TestIgnoredStaysAsItWas: what a rule hides is no agreement. When the rule
// ends, the field is what it was before.
func TestIgnoredStaysAsItWas(t *testing.T) {
	in := sample{desired: host("db"), writes: []write{helm(host("db")), edit(host("x"))}}.input(t)
	want := Judge(in)
	var err error
	if in.Ignore, err = CompileIgnore([]api.IgnoreRule{{Target: api.IgnoreTarget{Kind: "ConfigMap"}, Paths: []string{"/data/HOST"}, Reason: "r"}}); err != nil {
		t.Fatal(err)
	}
	hidden := Judge(in)
	in.Ignore, in.Baseline = nil, hidden.Agreed
	if diff := cmp.Diff(told(want), told(Judge(in))); diff != "" {
		t.Errorf("after the rule (-want +got):\n%s", diff)
	}
}

func TestCompileIgnore(t *testing.T) {
	cases := map[string]struct {
		reason string
		rule   api.IgnoreRule
		words  string
	}{
		"expression":   {"the place is named", api.IgnoreRule{Values: []string{"b", "("}}, "spec.ignore[1].values[1]"},
		"whole":        {"a rule hides fields, not objects", api.IgnoreRule{Paths: []string{"/spec/x", "/spec"}}, "spec.ignore[1].paths[1]: /spec covers a whole object"},
		"whole, slash": {"however it is written", api.IgnoreRule{Paths: []string{"/data/"}}, "covers a whole object"},
		"no pointer":   {"what hides nothing by a slip is said", api.IgnoreRule{Paths: []string{"spec.replicas"}}, "no JSON pointer"},
		"empty token":  {"what hides nothing by a slip is said", api.IgnoreRule{Paths: []string{"/spec//replicas"}}, "no JSON pointer"},
		"the root":     {"the object itself", api.IgnoreRule{Paths: []string{""}}, "no JSON pointer"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := CompileIgnore([]api.IgnoreRule{{Reason: "fine", Values: []string{"a.*"}}, tc.rule}); err == nil || !strings.Contains(err.Error(), tc.words) {
				t.Errorf("%s: want %q, got %v", tc.reason, tc.words, err)
			}
		})
	}
	if rules, err := CompileIgnore(nil); err != nil || len(rules) != 0 {
		t.Errorf("no rules are none: %v %v", rules, err)
	}
}

// TestIgnoreHidesWhatCannotBeTold: an unstable path, and a doubt of an object
// that may not be dry-run, make Unknown until a rule answers for them.
func TestIgnoreHidesWhatCannotBeTold(t *testing.T) {
	edited := sample{desired: host("db"), writes: []write{helm(host("db")), edit(host("x"))}}
	blind := sample{
		precision: api.PrecisionDeclaredFields, desired: deployment + "spec: {minReadySeconds: 0, revisionHistoryLimit: 1}\n",
		writes: []write{controller(deployment + "spec: {minReadySeconds: 3, revisionHistoryLimit: 1}\n")},
	}
	cases := map[string]struct {
		reason   string
		sample   sample
		unstable []string
		rule     api.IgnoreRule
		want     api.Verdict
	}{
		"unstable":              {"two renders differ there, and somebody knows", edited, []string{"/data"}, api.IgnoreRule{Paths: []string{"/data/HOST"}}, api.VerdictInSync},
		"unstable, another":     {"the rule is about another field", edited, []string{"/data"}, api.IgnoreRule{Paths: []string{"/data/PORT"}}, api.VerdictUnknown},
		"a doubt":               {"a rule by path alone", blind, nil, api.IgnoreRule{Paths: []string{"/spec/minReadySeconds"}}, api.VerdictInSync},
		"a doubt, of a manager": {"whose it is cannot be told", blind, nil, api.IgnoreRule{Paths: []string{"/spec/minReadySeconds"}, Managers: []string{"some-operator"}}, api.VerdictUnknown},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := tc.sample.input(t)
			in.Unstable = tc.unstable
			if o := Judge(in); o.Verdict != api.VerdictUnknown {
				t.Fatalf("without a rule: %v", told(o))
			}
			tc.rule.Target.Kind, tc.rule.Reason = in.Observation.ID.Kind, "r"
			var err error
			if in.Ignore, err = CompileIgnore([]api.IgnoreRule{tc.rule}); err != nil {
				t.Fatal(err)
			}
			if o := Judge(in); o.Verdict != tc.want {
				t.Errorf("%s: want %s, got %v", tc.reason, tc.want, told(o))
			}
		})
	}
}
