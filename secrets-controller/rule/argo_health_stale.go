// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var argoHealthStale = Rule{
	ID:          "argo-health-stale",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The condition that Argo CD takes for the health is about an older generation of the ExternalSecret.",
	Remedy:      "Compare syncedResourceVersion with the generation.",
	Source:      "https://github.com/argoproj/argo-cd/issues/22707",
	Check:       checkArgoHealthStale,
}

func checkArgoHealthStale(in Input) []finding.Finding {
	var out []finding.Finding
	if in.Scope.GitOps.Tool != "argocd" {
		return nil
	}
	for _, w := range in.watched() {
		if w.exists && w.live.Ready.True() && !w.current() {
			out = append(out, spot(w.live.Ref, "", "Ready is about generation %d, and the object has %d: Argo CD shows it healthy", w.live.SyncedGeneration, w.live.Generation))
		}
	}
	return out
}
