// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
)

// KeyOf is the identity of an entry from one run to the next.
func KeyOf(e api.DriftEntry) EntryKey { return EntryKey{ID: idOf(e.Object), Path: e.Path} }

// IgnoreRules says what each rule hides now and of whom, so that a rule cannot
// hide more than its author thinks, and since when a rule hides nothing.
func IgnoreRules(rules []drift.IgnoreRule, objects []drift.Object, before []api.IgnoreRuleStatus, now time.Time) []api.IgnoreRuleStatus {
	if len(rules) == 0 {
		return nil
	}
	out := make([]api.IgnoreRuleStatus, len(rules))
	for i, rule := range rules {
		out[i] = api.IgnoreRuleStatus{Rule: int32(i), Expired: rule.Expired(now)} //nolint:gosec // at most 64 rules
	}
	for _, o := range objects {
		for _, j := range o.Judgements {
			if j.Rule >= 0 {
				hide(&out[j.Rule], j)
			}
		}
	}
	for i := range out {
		if out[i].Hidden == 0 {
			out[i].IdleSince = idleSince(before, i, now)
		}
	}
	return out
}

func hide(s *api.IgnoreRuleStatus, j drift.Judgement) {
	const most = 16
	s.Hidden++
	for _, o := range j.Owners {
		if !slices.Contains(s.Managers, o.Name) && len(s.Managers) < most {
			s.Managers = append(s.Managers, o.Name)
		}
	}
	slices.Sort(s.Managers)
}

func idleSince(before []api.IgnoreRuleStatus, rule int, now time.Time) *metav1.Time {
	if rule < len(before) && before[rule].IdleSince != nil {
		return before[rule].IdleSince
	}
	t := metav1.NewTime(now.Truncate(time.Second))
	return &t
}
