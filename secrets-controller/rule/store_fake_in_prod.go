// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeFakeInProd = Rule{
	ID:          "store-fake-in-prod",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The fake provider serves values that stand in the store itself, and so in Git.",
	Remedy:      "Use a real provider; a namespace for tests can be allowed in the policy.",
	Source:      "https://external-secrets.io/latest/provider/fake/",
	Check:       checkStoreFakeInProd,
}

func checkStoreFakeInProd(in Input) []finding.Finding {
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		if slices.Contains(store.Providers, "fake") && !slices.Contains(in.Scope.FakeNamespaces, store.Ref.Namespace) {
			out = append(out, spot(store.Ref, "/spec/provider/fake", "the fake provider holds its values in Git"))
		}
	}
	return out
}
