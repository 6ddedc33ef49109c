// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"maps"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var extractOnScalar = Rule{
	ID:          "extract-on-scalar",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An extract needs a JSON object, and other places read the same value as a whole, under one key.",
	Remedy:      "Compare the two places with what the store holds.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4391",
	Check:       checkExtractOnScalar,
}

func checkExtractOnScalar(in Input) []finding.Finding {
	var out []finding.Finding
	uses := in.remoteUses()
	for _, id := range slices.Sorted(maps.Keys(uses)) {
		whole := slices.IndexFunc(uses[id], func(use remoteUse) bool { return !use.property && !use.extract })
		if whole < 0 || slices.ContainsFunc(uses[id], func(use remoteUse) bool { return use.property }) {
			continue
		}
		for _, use := range uses[id] {
			if use.extract {
				out = append(out, spot(use.es.Ref, use.at, "the extract needs an object, and %s reads the same value as a whole", title(uses[id][whole].es.Ref)))
			}
		}
	}
	return out
}
