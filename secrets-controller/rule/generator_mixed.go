// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var generatorMixed = Rule{
	ID:          "generator-mixed",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "One ExternalSecret fetches from a store and runs a generator: each refresh for the one makes new values of the other.",
	Remedy:      "Split it in two.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2377",
	Check:       checkGeneratorMixed,
}

func checkGeneratorMixed(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		generated, fetched := declaration.Pointer(""), len(b.Data) > 0
		for _, item := range b.DataFrom {
			if item.Source.Generator != nil {
				generated = item.At
			} else {
				fetched = true
			}
		}
		if _, renewed := renewal(b.Spec); generated == "" || !fetched || !renewed {
			return nil
		}
		return one(spot(b.ref, generated, "a generator stands beside values of a store: every refresh makes new values"))
	})
}
