// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var policyFlipFromOwner = Rule{
	ID:          "policy-flip-from-owner",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Leaving Owner makes the operator drop its owner reference: the Secret outlives the ExternalSecret from then on, and a tool may take it for a leftover.",
	Remedy:      "Make sure that this is meant, and that nothing prunes the Secret.",
	Source:      "https://github.com/redhat-appstudio/infra-deployments/issues/3472",
	Check:       checkPolicyFlipFromOwner,
}

func checkPolicyFlipFromOwner(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		was, existed := in.before(es.Ref)
		if !existed || was.Target.Creation != declaration.CreationOwner || es.Target.Creation == declaration.CreationOwner {
			return nil
		}
		return one(spot(es.Ref, es.Target.At.Child("creationPolicy"), "the policy changes from Owner to %s: Secret %s loses its owner and outlives this object", es.Target.Creation, es.Target.Name))
	})
}
