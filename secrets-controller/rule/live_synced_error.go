// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveSyncedError = Rule{
	ID:          "live-synced-error",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The operator could not deliver the Secret. Its own words stand in the status of the ExternalSecret; they are not repeated here, because errors quote values.",
	Remedy:      "Look at the status of the ExternalSecret: kubectl describe.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2419",
	Check:       checkLiveSyncedError,
}

func checkLiveSyncedError(in Input) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		if w.exists && w.live.Ready.False() && w.live.Ready.Reason != reasonDeleted {
			out = append(out, finding.Finding{
				Object: w.live.Ref, Path: "/status/conditions",
				Message: fmt.Sprintf("Secret %s is not delivered: %s", w.live.Target.Name, w.live.Ready.Reason),
			})
		}
	}
	return out
}
