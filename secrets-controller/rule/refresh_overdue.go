// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var refreshOverdue = Rule{
	ID:          "refresh-overdue",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The last refresh is older than two intervals: the operator does not come round, or its calls fail.",
	Remedy:      "Look at the operator.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4978",
	Check:       checkRefreshOverdue,
}

func checkRefreshOverdue(in Input) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		interval, renewed := renewal(w.declared.Spec)
		if !renewed || !w.exists || w.live.Refreshed.IsZero() || in.Scope.Now.IsZero() || w.live.Windows {
			continue
		}
		if age := in.Scope.Now.Sub(w.live.Refreshed); age > 2*interval {
			out = append(out, spot(w.live.Ref, "", "the last refresh is %s old, and the interval is %s", age.Round(time.Minute), interval))
		}
	}
	return out
}
