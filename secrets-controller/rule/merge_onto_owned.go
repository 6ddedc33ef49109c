// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var mergeOntoOwned = Rule{
	ID:          "merge-onto-owned",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Since ESO 0.11 an ExternalSecret may not merge into a Secret that another ExternalSecret owns.",
	Remedy:      "Move the key into the owner's spec, or make the owner give up ownership.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4225",
	Check:       checkMergeOntoOwned,
}

func checkMergeOntoOwned(in Input) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.clashes() {
		if adds(c.es.Target.Creation) && c.other.Policy == declaration.CreationOwner {
			out = append(out, finding.Finding{
				Object: c.es.Ref, Path: string(c.es.Target.At),
				Message: fmt.Sprintf("%s owns Secret %s, and an ExternalSecret may not merge into what another one owns", titleOf(c.other), c.es.Target.Name),
			})
		}
	}
	return out
}

// adds says whether a policy leaves the keys of others in the target.
func adds(policy declaration.CreationPolicy) bool {
	return policy == declaration.CreationMerge || policy == declaration.CreationCreateOrMerge
}
