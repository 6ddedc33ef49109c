// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeNamespaceDenied = Rule{
	ID:          "store-namespace-denied",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The conditions of a ClusterSecretStore do not admit the namespace. The store stays Ready; only its use is refused, when it is tried.",
	Remedy:      "Add the namespace to the store's conditions, or use a store that admits it.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2240",
	Check:       checkStoreNamespaceDenied,
}

func checkStoreNamespaceDenied(in Input) []finding.Finding {
	var out []finding.Finding
	for _, use := range in.storeUses() {
		where, at := in.locate(use)
		if where != storeFound || at.kind != declaration.ClusterSecretStoreKind || use.namespace == "" {
			continue
		}
		f := finding.Finding{Object: use.by, Path: string(use.ref.At)}
		switch in.index.stores[at].Admits(use.namespace, in.index.labels[use.namespace]) {
		case declaration.Denied:
			f.Message = fmt.Sprintf("the conditions of ClusterSecretStore %s do not admit namespace %s", at.name, use.namespace)
		case declaration.Undecided:
			f.Severity = secretsv1.SeverityUnknown
			f.Message = fmt.Sprintf("ClusterSecretStore %s selects namespaces by labels, and those of namespace %s are not known", at.name, use.namespace)
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}
