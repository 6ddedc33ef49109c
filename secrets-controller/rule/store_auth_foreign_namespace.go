// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeAuthForeignNamespace = Rule{
	ID:          "store-auth-foreign-namespace",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A SecretStore may read credentials of its own namespace only; the store is refused when it is validated.",
	Remedy:      "Leave the namespace out and declare the credential here, or use a ClusterSecretStore.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/509",
	Check:       checkStoreAuthForeignNamespace,
}

func checkStoreAuthForeignNamespace(in Input) []finding.Finding {
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		for _, foreign := range store.ForeignNamespaces {
			out = append(out, finding.Finding{
				Object: store.Ref, Path: string(foreign.At),
				Message: fmt.Sprintf("a SecretStore of namespace %s may not refer to namespace %s", store.Ref.Namespace, foreign.Namespace),
			})
		}
	}
	return out
}
