// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeOpenToAll = Rule{
	ID:          "store-open-to-all",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A ClusterSecretStore without conditions serves every namespace: whoever may create an ExternalSecret anywhere can read every value of it.",
	Remedy:      "Name the namespaces in spec.conditions.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/163",
	Optional:    true,
	Check:       checkStoreOpenToAll,
}

func checkStoreOpenToAll(in Input) []finding.Finding {
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		if store.Ref.Kind == declaration.ClusterSecretStoreKind && len(store.Conditions) == 0 {
			out = append(out, spot(store.Ref, "/spec", "the store has no conditions: every namespace can read all of it"))
		}
	}
	return out
}
