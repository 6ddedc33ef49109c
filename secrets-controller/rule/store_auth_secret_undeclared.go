// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeAuthSecretUndeclared = Rule{
	ID:          "store-auth-secret-undeclared",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The credential that a store itself logs in with comes from nowhere in Git. It is a root: a rebuilt cluster has no secret at all until somebody puts it back.",
	Remedy:      "Declare it, use the workload identity of the provider, or accept it in a SecretPolicy as an external producer with an owner.",
	Source:      "https://github.com/claytono/infra/issues/169",
	Check:       checkStoreAuthSecretUndeclared,
}

func checkStoreAuthSecretUndeclared(in Input) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.credentials() {
		if len(in.index.productions[c.at()]) == 0 {
			out = append(out, in.undeclaredCredential(c))
		}
	}
	return out
}
