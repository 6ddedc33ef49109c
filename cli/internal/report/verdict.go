// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Reasons that only a reader gives: no controller writes them.
const (
	// ExpiredReason: status.compared.validUntil has passed.
	ExpiredReason = "VerdictExpired"
	// OutdatedReason: the declaration is newer than the verdict.
	OutdatedReason = "VerdictOutdated"
)

// Outcome is what a report amounts to.
type Outcome string

// The outcomes. Undecided is never taken for InSync.
const (
	InSync    Outcome = "InSync"
	Differs   Outcome = "Differs"
	Undecided Outcome = "Unknown"
)

// Current gives the Application as it may be shown now: once its verdict has
// expired, or is about an older declaration, the conditions that the verdict
// carries are Unknown, with the reason. The stored object is not changed.
func Current(app *v1alpha1.Application, now time.Time) *v1alpha1.Application {
	reason, message := whyNotCurrent(app, now)
	if reason == "" {
		return app
	}
	shown := app.DeepCopy()
	for _, kind := range []string{
		contract.SyncedCondition, contract.HealthyCondition, contract.SecretsValidCondition, contract.ReadyCondition,
	} {
		stored := apimeta.FindStatusCondition(shown.Status.Conditions, kind)
		// Why it is not Ready is news that does not spoil; that it is, does.
		if stored == nil || (kind == contract.ReadyCondition && stored.Status == metav1.ConditionFalse) {
			continue
		}
		stored.Status, stored.Reason, stored.Message = metav1.ConditionUnknown, reason, message
	}
	return shown
}

// IsCurrent says whether the stored verdict may be believed now.
func IsCurrent(app *v1alpha1.Application, now time.Time) bool {
	reason, _ := whyNotCurrent(app, now)
	return app.Status.Compared != nil && reason == ""
}

func whyNotCurrent(app *v1alpha1.Application, now time.Time) (reason, message string) {
	c := app.Status.Compared
	if c == nil {
		return "", ""
	}
	if end := c.ValidUntil.Time; !end.IsZero() && now.After(end) {
		return ExpiredReason, fmt.Sprintf("the verdict of %s ago was valid until %s ago: is the drift-controller running?",
			since(c.Time.Time, now), since(end, now))
	}
	synced := apimeta.FindStatusCondition(app.Status.Conditions, contract.SyncedCondition)
	if synced != nil && synced.ObservedGeneration < app.Generation {
		return OutdatedReason, fmt.Sprintf("the Application was changed since: the verdict is about its generation %d, it is now at %d",
			synced.ObservedGeneration, app.Generation)
	}
	return "", ""
}

// status is a condition's status as shown; one that is not there is Unknown.
func status(app *v1alpha1.Application, kind string) string {
	c := apimeta.FindStatusCondition(app.Status.Conditions, kind)
	if c == nil {
		return string(metav1.ConditionUnknown)
	}
	return string(c.Status)
}

// outcome judges a current Application.
func outcome(app *v1alpha1.Application) Outcome {
	if app.Status.Compared == nil {
		return Undecided
	}
	switch status(app, contract.SyncedCondition) {
	case string(metav1.ConditionTrue):
		return InSync
	case string(metav1.ConditionFalse):
		return Differs
	default:
		return Undecided
	}
}
