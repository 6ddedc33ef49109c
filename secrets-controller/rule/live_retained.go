// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveRetained = Rule{
	ID:          "live-retained",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The store returned nothing and the old Secret was kept. It reports Ready and a fresh time, but the value can no longer be restored from the store.",
	Remedy:      "Restore the value in the store, or retire the Secret.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4560",
	Check:       checkLiveRetained,
}

func checkLiveRetained(in Input) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		if w.exists && w.live.Retained {
			out = append(out, finding.Finding{
				Object: w.live.Ref, Path: "/status/conditions",
				Message: fmt.Sprintf("the store holds no value any more; the old Secret %s was retained", w.live.Target.Name),
			})
		}
	}
	return out
}
