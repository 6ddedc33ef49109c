// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var refreshTooFast = Rule{
	ID:          "refresh-too-fast",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The values are fetched more often than once a minute: providers count calls, and throttle.",
	Remedy:      "Use a longer interval.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1769",
	Optional:    true,
	Check:       checkRefreshTooFast,
}

func checkRefreshTooFast(in Input) []finding.Finding {
	const shortest = time.Minute
	return in.eachBody(func(b body) []finding.Finding {
		interval, renewed := renewal(b.Spec)
		if !renewed || interval >= shortest {
			return nil
		}
		return one(spot(b.ref, b.RefreshInterval.At, "%s is fetched every %s: %d calls an hour", plural(len(b.Data)+len(b.DataFrom), "value"), interval,
			int(time.Hour/interval)*(len(b.Data)+len(b.DataFrom))))
	})
}
