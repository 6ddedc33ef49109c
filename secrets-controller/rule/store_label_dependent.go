// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeLabelDependent = Rule{
	ID:          "store-label-dependent",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The store admits namespaces by labels that Git does not declare on the namespace: who may set labels decides who may read.",
	Remedy:      "Declare the Namespace with the label, or name it in spec.conditions.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4823",
	Check:       checkStoreLabelDependent,
}

func checkStoreLabelDependent(in Input) []finding.Finding {
	var out []finding.Finding
	for _, use := range in.storeUses() {
		if use.namespace == "" || use.ref.KindOrDefault() != declaration.ClusterSecretStoreKind {
			continue // of a ClusterExternalSecret: the namespaces are not known here
		}
		store, known := in.index.stores[storeName{kind: declaration.ClusterSecretStoreKind, name: use.ref.Name}]
		if !known || store.Admits(use.namespace, nil) != declaration.Undecided || in.labelsDeclared(use.namespace) {
			continue
		}
		out = append(out, spot(use.by, use.ref.At.Child("name"),
			"ClusterSecretStore %s admits namespace %s by its labels, and Git does not declare the namespace", use.ref.Name, use.namespace))
	}
	return out
}

// labelsDeclared says whether Git declares a namespace, here or nearby.
func (in Input) labelsDeclared(namespace string) bool {
	of := func(n declaration.Namespace) bool { return n.Name == namespace }
	return slices.ContainsFunc(in.Declared.Namespaces, of) || slices.ContainsFunc(in.Neighbours.Namespaces, of)
}
