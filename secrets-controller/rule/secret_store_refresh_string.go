// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

var secretStoreRefreshString = Rule{
	ID:          "secret-store-refresh-string",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "refreshInterval of a store is a number of seconds before ESO 2.9 and may be a duration since. A duration on an older definition is refused.",
	Remedy:      "Write the number of seconds, or upgrade the operator first.",
	Source:      "https://github.com/external-secrets/external-secrets/releases",
	Check:       checkSecretStoreRefreshString,
}

func checkSecretStoreRefreshString(in Input) []finding.Finding {
	limit := schema.Version{2, 9}
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		old := !in.Scope.Operator.IsZero() && in.Scope.Operator.Before(limit)
		if definition, live := in.Live.Definitions["external-secrets.io/"+store.Ref.Kind]; live {
			old = definition.WantsInteger("v1", "spec", "refreshInterval")
		}
		if store.Refresh.IsText && old {
			out = append(out, spot(store.Ref, store.Refresh.At, "refreshInterval is a text here, and the installed release wants the number of seconds"))
		}
	}
	return out
}
