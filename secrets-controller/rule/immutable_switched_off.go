// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var immutableSwitchedOff = Rule{
	ID:          "immutable-switched-off",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "immutable is taken out of the ExternalSecret, while the Secret in the cluster stays immutable for good: every write to it fails.",
	Remedy:      "Choose a new target name, or delete the Secret first.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3604",
	Check:       checkImmutableSwitchedOff,
}

func checkImmutableSwitchedOff(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		was, existed := in.before(es.Ref)
		if !existed || !was.Target.Immutable || es.Target.Immutable || was.Target.Name != es.Target.Name {
			return nil
		}
		return one(spot(es.Ref, es.Target.At, "immutable is taken away, and Secret %s stays immutable in the cluster", es.Target.Name))
	})
}
