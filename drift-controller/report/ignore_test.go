// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/report"
)

func hides(rule int, managers ...string) drift.Judgement {
	j := drift.Judgement{Rule: rule}
	for _, m := range managers {
		j.Owners = append(j.Owners, drift.Owner{Manager: live.Manager{Name: m}})
	}
	return j
}

func compiled(t *testing.T, rules ...api.IgnoreRule) []drift.IgnoreRule {
	t.Helper()
	out, err := drift.CompileIgnore(rules)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var undigested = cmpopts.IgnoreFields(api.IgnoreRuleStatus{}, "Digest")

func TestIgnoreRules(t *testing.T) {
	until := metav1.NewTime(now.Add(-time.Hour))
	rules := compiled(t, api.IgnoreRule{Reason: "used"}, api.IgnoreRule{Reason: "idle"}, api.IgnoreRule{Reason: "ended", Until: &until}, api.IgnoreRule{Reason: "new"})
	before := report.IgnoreRules(rules[:3], nil, nil, wrote.Time)
	objects := []drift.Object{
		{Judgements: []drift.Judgement{hides(0, "z", "a"), hides(drift.NoRule, "nobody"), hides(0)}}, {Judgements: []drift.Judgement{hides(0, "a")}},
		{Refused: []drift.RuleRefusal{{Rule: 3, Why: "refused: too wide"}, {Rule: drift.OwnRule, Why: "refused: not allowed"}}},
	}
	want := []api.IgnoreRuleStatus{
		{Rule: 0, Hidden: 3, Managers: []string{"a", "unknown", "z"}}, // in use again
		{Rule: 1, IdleSince: &wrote, Dead: true},
		{Rule: 2, IdleSince: &wrote, Dead: true, Expired: true},
		{Rule: 3, IdleSince: &today, Refused: "refused: too wide"},
	}
	got := report.IgnoreRules(rules, objects, before, now)
	if diff := cmp.Diff(want, got, undigested); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	notes := report.IgnoreNotes(got, objects)
	for _, words := range []string{"spec.ignore[1] has hidden nothing since", "spec.ignore[3] is refused: too wide", "annotation drift.holdfast.dev/ignore is refused: not allowed"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, words) }) {
			t.Errorf("no note says %q: %q", words, notes)
		}
	}
	if got := report.IgnoreRules(nil, nil, before, now); got != nil {
		t.Errorf("without rules there is nothing to say: %v", got)
	}
}

// TestIdleRulesAreKnownWhereverTheyStand: a rule that is put before another
// one must not take over since when that has been idle.
func TestIdleRulesAreKnownWhereverTheyStand(t *testing.T) {
	old, fresh := api.IgnoreRule{Reason: "old"}, api.IgnoreRule{Reason: "fresh"}
	before := report.IgnoreRules(compiled(t, old), nil, nil, wrote.Time)
	got := report.IgnoreRules(compiled(t, fresh, old), nil, before, now)
	want := []api.IgnoreRuleStatus{{Rule: 0, IdleSince: &today}, {Rule: 1, IdleSince: &wrote, Dead: true}}
	if diff := cmp.Diff(want, got, undigested); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got[0].Digest == got[1].Digest || got[1].Digest != before[0].Digest {
		t.Errorf("a rule is not known again: %v %v", before, got)
	}
}

func TestManyManagersOfARule(t *testing.T) {
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprint("m", i))
	}
	rules := compiled(t, api.IgnoreRule{Reason: "r"})
	got := report.IgnoreRules(rules, []drift.Object{{Judgements: []drift.Judgement{hides(0, many...)}}}, nil, now)[0]
	if len(got.Managers) != 16 {
		t.Errorf("the schema takes sixteen managers, got %d", len(got.Managers))
	}
}

func TestOwnRules(t *testing.T) {
	if got := report.OwnRules([]drift.Object{{}}); got != nil {
		t.Errorf("where no object carries a rule there is nothing to say: %v", got)
	}
	got := report.OwnRules([]drift.Object{
		{Own: drift.Own{Carried: true}, Judgements: []drift.Judgement{hides(drift.OwnRule, "hpa"), hides(0, "x")}},
		{Own: drift.Own{Carried: true, Refused: true}}, {Judgements: []drift.Judgement{hides(0, "y")}},
	})
	if diff := cmp.Diff(&api.IgnoreAnnotationsStatus{Objects: 2, Refused: 1, Hidden: 1, Managers: []string{"hpa"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
