// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeDupName = Rule{
	ID:          "store-dup-name",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A SecretStore and a ClusterSecretStore share a name, and a reference that leaves the kind out means the first.",
	Remedy:      "Give one of them another name.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2892",
	Check:       checkStoreDupName,
}

func checkStoreDupName(in Input) []finding.Finding {
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		if store.Ref.Kind != declaration.SecretStoreKind {
			continue
		}
		if _, both := in.index.stores[storeName{kind: declaration.ClusterSecretStoreKind, name: store.Ref.Name}]; both {
			out = append(out, spot(store.Ref, "/metadata/name", "there is a ClusterSecretStore %s too: a reference without a kind means this SecretStore", store.Ref.Name))
		}
	}
	return out
}
