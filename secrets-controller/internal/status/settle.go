// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Settle gives the status to write over an existing one, and whether it
// differs in more than its times. Without that test every look at an unchanged
// artifact would be a write, and every write an event for all who watch.
func Settle(have, want secretsv1.SecretReportStatus, generation int64) (secretsv1.SecretReportStatus, bool) {
	next := *want.DeepCopy()
	for i := range next.Conditions {
		next.Conditions[i].ObservedGeneration = generation
		old := meta.FindStatusCondition(have.Conditions, next.Conditions[i].Type)
		if old != nil && old.Status == next.Conditions[i].Status {
			next.Conditions[i].LastTransitionTime = old.LastTransitionTime
		}
	}
	if equality.Semantic.DeepEqual(timeless(have), timeless(next)) && !runsOut(have, next) {
		return have, false
	}
	return next, true
}

// runsOut says whether half of what was promised is over: a write an hour, and
// not one for each look.
func runsOut(have, next secretsv1.SecretReportStatus) bool {
	if have.ValidUntil == nil || next.ValidUntil == nil {
		return have.ValidUntil != next.ValidUntil
	}
	return next.ValidUntil.Sub(have.ValidUntil.Time) >= Validity/2
}

func timeless(status secretsv1.SecretReportStatus) secretsv1.SecretReportStatus {
	out := *status.DeepCopy()
	out.ValidUntil = nil
	if out.Observed != nil {
		out.Observed.Time = metav1.Time{}
	}
	for i := range out.Conditions {
		out.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	return out
}
