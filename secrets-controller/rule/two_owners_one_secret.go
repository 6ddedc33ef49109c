// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var twoOwnersOneSecret = Rule{
	ID:          "two-owners-one-secret",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Two ExternalSecrets write one Secret as a whole. The one that comes second fails, is not retried, and which one that is depends on order.",
	Remedy:      "Give each its own target, or join them in one ExternalSecret.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3199",
	Check:       checkTwoOwnersOneSecret,
}

func checkTwoOwnersOneSecret(in Input) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.clashes() {
		mine, theirs := c.es.Target.Creation, c.other.Policy
		if !clearsOthers(mine) || !clearsOthers(theirs) {
			continue
		}
		if mine != declaration.CreationOwner && theirs != declaration.CreationOwner {
			continue // two orphans: a rule of its own
		}
		out = append(out, finding.Finding{
			Object: c.es.Ref, Path: string(c.es.Target.NameAt()),
			Message: fmt.Sprintf("Secret %s is the target of %s as well (%s), and only one can own it", c.es.Target.Name, titleOf(c.other), theirs),
		})
	}
	return out
}
