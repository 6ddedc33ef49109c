// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var deleteNeedsOwner = Rule{
	ID:          "delete-needs-owner",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "deletionPolicy Delete removes the Secret when the provider is empty, which only an owner may do; the operator's webhook refuses it.",
	Remedy:      "Use creationPolicy Owner, or deletionPolicy Retain or Merge.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/695",
	Check:       checkDeleteNeedsOwner,
}

func checkDeleteNeedsOwner(in Input) []finding.Finding {
	return in.policyPair(declaration.DeletionDelete, "only an owner may delete the Secret",
		declaration.CreationMerge, declaration.CreationNone)
}

// policyPair finds bodies that join a deletion policy with one of the creation
// policies that rule it out.
func (in Input) policyPair(deletion declaration.DeletionPolicy, why string, creations ...declaration.CreationPolicy) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		for _, creation := range creations {
			if b.Target.Deletion == deletion && b.Target.Creation == creation {
				out = append(out, finding.Finding{
					Object: b.ref, Path: string(b.Target.At.Child("deletionPolicy")),
					Message: fmt.Sprintf("deletionPolicy %s does not go with creationPolicy %s: %s", deletion, creation, why),
				})
			}
		}
	}
	return out
}
