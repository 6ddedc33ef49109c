// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"maps"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var cesCesOverlap = Rule{
	ID:          "ces-ces-overlap",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Two ClusterExternalSecrets select a namespace with one name for the ExternalSecret that they make: the second finds it taken and fails there.",
	Remedy:      "Give one of them another externalSecretName, or separate the selectors.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1337",
	Check:       checkCesCesOverlap,
}

func checkCesCesOverlap(in Input) []finding.Finding {
	var out []finding.Finding
	all := in.Declared.ClusterExternalSecrets
	for i, one := range all {
		for j, other := range all {
			if i == j || one.ChildName != other.ChildName {
				continue
			}
			for _, namespace := range in.knownNamespaces() {
				labels := in.index.labels[namespace]
				if one.Admits(namespace, labels) == declaration.Admitted && other.Admits(namespace, labels) == declaration.Admitted {
					out = append(out, spot(one.Ref, "/spec/externalSecretName", "%s makes ExternalSecret %s in namespace %s too", title(other.Ref), one.ChildName, namespace))
					break
				}
			}
		}
	}
	return out
}

func (in Input) knownNamespaces() []string { return slices.Sorted(maps.Keys(in.index.labels)) }
