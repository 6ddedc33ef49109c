// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveNoStatus = Rule{
	ID:          "live-no-status",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "Nobody has judged the ExternalSecret. After some minutes that means that no operator serves it: it is down, of another class, or cluster stores are switched off.",
	Remedy:      "Check that the operator runs and serves the class of the store.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1970",
	Check:       checkLiveNoStatus,
}

func checkLiveNoStatus(in Input) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		f := finding.Finding{Object: w.declared.Ref}
		switch {
		case !w.exists:
			f.Severity = secretsv1.SeverityUnknown
			f.Message = "is not in the cluster yet, so it has no status and nothing was delivered"
			f.Remedy = "It comes with the next sync."
		case w.live.Ready.Present:
			continue
		default:
			age := in.Scope.Now.Sub(w.live.Created)
			f.Message = fmt.Sprintf("has had no status for more than %s: no operator serves it", in.Scope.NoStatusAfter)
			if w.live.Created.IsZero() || age < in.Scope.NoStatusAfter {
				f.Severity = secretsv1.SeverityUnknown
				f.Message = "has no status yet: it was created a moment ago"
			}
		}
		out = append(out, f)
	}
	return out
}
