// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
)

// KeyOf is the identity of an entry from one run to the next.
func KeyOf(e api.DriftEntry) EntryKey { return EntryKey{ID: idOf(e.Object), Path: e.Path} }

// deadAfter is how long a rule has to hide nothing to be named as dead.
const deadAfter = 7 * 24 * time.Hour

// unrecorded stands for a writer that the API server does not know.
const unrecorded = "unknown"

// IgnoreRules says what each rule hides now and of whom, so that a rule cannot
// hide more than its author thinks, since when a rule hides nothing, and where
// it is refused.
func IgnoreRules(rules []drift.IgnoreRule, objects []drift.Object, before []api.IgnoreRuleStatus, now time.Time) []api.IgnoreRuleStatus {
	if len(rules) == 0 {
		return nil
	}
	out := make([]api.IgnoreRuleStatus, len(rules))
	for i, rule := range rules {
		out[i] = api.IgnoreRuleStatus{Rule: int32(i), Expired: rule.Expired(now), Digest: digestOf(rule)} //nolint:gosec // at most 64 rules
	}
	for _, o := range objects {
		for _, r := range o.Refused {
			if r.Rule >= 0 && out[r.Rule].Refused == "" {
				out[r.Rule].Refused = r.Why
			}
		}
		for _, j := range o.Judgements {
			if j.Rule >= 0 {
				out[j.Rule].Hidden++
				out[j.Rule].Managers = withOwners(out[j.Rule].Managers, j)
			}
		}
	}
	for i := range out {
		if out[i].Hidden == 0 {
			out[i].IdleSince = idleSince(before, out[i].Digest, now)
			out[i].Dead = now.Sub(out[i].IdleSince.Time) >= deadAfter
		}
	}
	return out
}

// digestOf identifies a rule wherever it stands in the list.
func digestOf(rule drift.IgnoreRule) string {
	text, err := json.Marshal(rule.IgnoreRule)
	if err != nil {
		return "" // an API type always encodes
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

func withOwners(names []string, j drift.Judgement) []string {
	const most = 16
	owners := []string{unrecorded}
	if len(j.Owners) > 0 {
		owners = owners[:0]
	}
	for _, o := range j.Owners {
		owners = append(owners, o.Name)
	}
	for _, name := range owners {
		if !slices.Contains(names, name) && len(names) < most {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func idleSince(before []api.IgnoreRuleStatus, digest string, now time.Time) *metav1.Time {
	for _, b := range before {
		if b.Digest == digest && b.IdleSince != nil {
			return b.IdleSince
		}
	}
	t := metav1.NewTime(now.Truncate(time.Second))
	return &t
}

// OwnRules counts what objects hide by rules of their own; nil if none carries
// one.
func OwnRules(objects []drift.Object) *api.IgnoreAnnotationsStatus {
	s := &api.IgnoreAnnotationsStatus{}
	for _, o := range objects {
		if !o.Own.Carried {
			continue
		}
		s.Objects++
		if o.Own.Refused {
			s.Refused++
		}
		for _, j := range o.Judgements {
			if j.Rule == drift.OwnRule {
				s.Hidden++
				s.Managers = withOwners(s.Managers, j)
			}
		}
	}
	if s.Objects == 0 {
		return nil
	}
	return s
}

// IgnoreNotes are what the reader of an Application has to know of its rules:
// those that are refused, and those that can go.
func IgnoreNotes(rules []api.IgnoreRuleStatus, objects []drift.Object) []string {
	var notes []string
	for _, r := range rules {
		if r.Refused != "" {
			notes = append(notes, fmt.Sprintf("spec.ignore[%d] is %s", r.Rule, r.Refused))
		}
		if r.Dead {
			notes = append(notes, fmt.Sprintf("spec.ignore[%d] has hidden nothing since %s: remove it", r.Rule, r.IdleSince.UTC().Format(time.DateOnly)))
		}
	}
	for _, o := range objects {
		for _, r := range o.Refused {
			if r.Rule == drift.OwnRule {
				notes = append(notes, fmt.Sprintf("%s (%s): annotation %s is %s", o.ID, o.Source, contract.IgnoreAnnotation, r.Why))
			}
		}
	}
	return notes
}
