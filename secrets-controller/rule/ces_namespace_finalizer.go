// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var cesNamespaceFinalizer = Rule{
	ID:          "ces-namespace-finalizer",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A ClusterExternalSecret puts a finalizer on the namespaces that it selects: a namespace that goes before it may hang.",
	Remedy:      "Take the namespace out of the selector first.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/5426",
	Check:       checkCesNamespaceFinalizer,
}

func checkCesNamespaceFinalizer(in Input) []finding.Finding {
	var out []finding.Finding
	if in.Previous == nil {
		return nil
	}
	for _, old := range in.Previous.Namespaces {
		if slices.ContainsFunc(in.Declared.Namespaces, func(n declaration.Namespace) bool { return n.Name == old.Name }) {
			continue
		}
		for _, ces := range in.Declared.ClusterExternalSecrets {
			if ces.Admits(old.Name, old.Labels) == declaration.Admitted {
				out = append(out, spot(ces.Ref, "", "namespace %s is removed while this object selects it: its finalizer may keep the namespace", old.Name))
			}
		}
	}
	return out
}
