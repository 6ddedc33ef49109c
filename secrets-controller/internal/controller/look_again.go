// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/internal/status"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
)

// unreadAgain is when to ask again for what could not be read. The grant of a
// right is no event that could be watched.
const unreadAgain = 10 * time.Minute

// sourceAgain is when to ask again for the files in Git: a server that starts
// anew is no event either.
const sourceAgain = time.Minute

// lookAgain says when a verdict may change without any event: an entry of a
// policy ends, an ExternalSecret has been without a status for too long, or
// something could not be read. In any case it is confirmed before it runs out.
func lookAgain(in rule.Input, result rule.Result, now time.Time) time.Duration {
	var after time.Duration
	sooner := func(d time.Duration) {
		if d > 0 && (after == 0 || d < after) {
			after = d
		}
	}
	sooner(status.Validity/2 + time.Minute)
	if !in.Policy.NextEnd.IsZero() {
		sooner(in.Policy.NextEnd.Sub(now))
	}
	for _, f := range result.Findings {
		if f.Gate == secretsv1.GateReadiness && f.Severity == secretsv1.SeverityUnknown {
			sooner(in.Scope.NoStatusAfter)
		}
	}
	if len(result.UnreadSource) > 0 {
		sooner(sourceAgain)
	}
	if len(result.Unread) > 0 {
		sooner(unreadAgain)
	}
	return after
}
