// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveDeletedDespiteReady = Rule{
	ID:          "live-deleted-despite-ready",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The provider is empty and deletionPolicy Delete removed the Secret. The condition still says Ready.",
	Remedy:      "Restore the value in the store.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/695",
	Check:       checkLiveDeletedDespiteReady,
}

func checkLiveDeletedDespiteReady(in Input) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		if w.exists && w.live.Ready.Reason == reasonDeleted {
			out = append(out, finding.Finding{
				Object: w.live.Ref, Path: "/status/conditions",
				Message: fmt.Sprintf("%s: the store holds no value any more and Secret %s was deleted", reasonDeleted, w.live.Target.Name),
			})
		}
	}
	return out
}
