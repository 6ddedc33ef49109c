// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strconv"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var waveOrder = Rule{
	ID:          "wave-order",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "What produces a Secret comes in a later wave than who reads it: the earlier wave does not become healthy, and the later one never comes.",
	Remedy:      "Give the producer an earlier wave.",
	Source:      "https://github.com/argoproj/argo-cd/issues/9891",
	Check:       checkWaveOrder,
}

func checkWaveOrder(in Input) []finding.Finding {
	var out []finding.Finding
	seen := map[string]bool{}
	for _, ref := range in.Declared.References {
		for _, production := range in.index.productions[secretName{ref.Namespace, ref.Secret}] {
			late, early := in.wave(production.By), in.wave(ref.By)
			id := title(production.By) + title(ref.By)
			if production.Application != "" || late <= early || seen[id] || ref.Optional || in.hook(ref.By) != "" {
				continue
			}
			seen[id] = true
			out = append(out, spot(production.By, "/metadata/annotations/argocd.argoproj.io~1sync-wave",
				"this comes in wave %d, and %s, which reads Secret %s, in wave %d", late, title(ref.By), ref.Secret, early))
		}
	}
	return out
}

// wave is the sync wave of an object.
func (in Input) wave(ref secretsv1.ObjectReference) int {
	wave, err := strconv.Atoi(in.Declared.Metas[ref].Annotations["argocd.argoproj.io/sync-wave"])
	if err != nil {
		return 0
	}
	return wave
}
