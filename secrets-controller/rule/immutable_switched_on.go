// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var immutableSwitchedOn = Rule{
	ID:          "immutable-switched-on",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "immutable is switched on over a Secret that exists: its present content is frozen, whatever is declared.",
	Remedy:      "Choose a new target name in the same commit.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3604",
	Check:       checkImmutableSwitchedOn,
}

func checkImmutableSwitchedOn(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		was, existed := in.before(es.Ref)
		if !existed || was.Target.Immutable || !es.Target.Immutable || was.Target.Name != es.Target.Name {
			return nil
		}
		return one(spot(es.Ref, es.Target.At.Child("immutable"), "immutable is switched on over existing Secret %s: what it holds now is frozen", es.Target.Name))
	})
}
