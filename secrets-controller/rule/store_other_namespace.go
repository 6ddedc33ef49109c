// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeOtherNamespace = Rule{
	ID:          "store-other-namespace",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A SecretStore serves its own namespace only.",
	Remedy:      "Declare the store in this namespace, or make it a ClusterSecretStore with conditions.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/509",
	Check:       checkStoreOtherNamespace,
}

func checkStoreOtherNamespace(in Input) []finding.Finding {
	var out []finding.Finding
	for _, use := range in.storeUses() {
		where, other := in.locate(use)
		if where == otherNamespace {
			out = append(out, finding.Finding{
				Object: use.by, Path: string(use.ref.At.Child("name")),
				Message: fmt.Sprintf("SecretStore %s exists in namespace %s only, and a SecretStore serves its own namespace",
					use.ref.Name, other.namespace),
			})
		}
	}
	return out
}
