// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveStaleGeneration = Rule{
	ID:          "live-stale-generation",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The status is about an older generation than the spec that is there now. Usually that passes with the next sync; with an interval of 0 the change is ignored for good.",
	Remedy:      "Wait for the operator; with interval 0, set an interval or delete the Secret so that it is fetched again.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1603",
	Check:       checkLiveStaleGeneration,
}

func checkLiveStaleGeneration(in Input) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		if !w.exists || !w.live.Ready.Present || w.current() {
			continue
		}
		f := finding.Finding{
			Object: w.live.Ref, Path: "/status/syncedResourceVersion",
			Message: fmt.Sprintf("generation %d is there and generation %d was synced last", w.live.Generation, w.live.SyncedGeneration),
		}
		if ignoresEdits(w.live.Spec) {
			f.Message += "; with an interval of 0 the operator never looks again"
		} else {
			// Not a fault yet: the operator has not come round to it.
			f.Severity = secretsv1.SeverityUnknown
		}
		out = append(out, f)
	}
	return out
}

// ignoresEdits says whether the operator syncs once and never looks again.
func ignoresEdits(spec declaration.Spec) bool {
	if spec.RefreshPolicy != "" && spec.RefreshPolicy != "Periodic" {
		return false
	}
	interval, err := time.ParseDuration(spec.RefreshInterval.Text)
	return spec.RefreshInterval.IsText && err == nil && interval <= 0
}
