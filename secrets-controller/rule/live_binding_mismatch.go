// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveBindingMismatch = Rule{
	ID:          "live-binding-mismatch",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The status still binds the Secret of an earlier target: a rename is on its way, or stuck.",
	Remedy:      "Wait for the next sync, and look at the events if it does not come.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1272",
	Check:       checkLiveBindingMismatch,
}

func checkLiveBindingMismatch(in Input) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		if w.exists && w.live.Binding != "" && w.live.Binding != w.live.Target.Name {
			out = append(out, spot(w.live.Ref, "", "the status binds Secret %s, and the target is %s", w.live.Binding, w.live.Target.Name))
		}
	}
	return out
}
