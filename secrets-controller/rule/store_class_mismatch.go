// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeClassMismatch = Rule{
	ID:          "store-class-mismatch",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The store asks for a controller class that no controller serves: it and all that use it are passed over without a status.",
	Remedy:      "Use the class of the operator, or run one with this class.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/521",
	Check:       checkStoreClassMismatch,
}

func checkStoreClassMismatch(in Input) []finding.Finding {
	if len(in.Scope.Classes) == 0 {
		return nil
	}
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		if store.Class != "" && !slices.Contains(in.Scope.Classes, store.Class) {
			out = append(out, spot(store.Ref, "/spec/controller", "controller class %s is served by no operator; there are %s", store.Class, listed(in.Scope.Classes)))
		}
	}
	return out
}
