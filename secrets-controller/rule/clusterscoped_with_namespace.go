// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var clusterscopedWithNamespace = Rule{
	ID:          "clusterscoped-with-namespace",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The kind is cluster-scoped: a namespace in its metadata is ignored and misleads the reader.",
	Remedy:      "Remove metadata.namespace.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4823",
	Check:       checkClusterscopedWithNamespace,
}

func checkClusterscopedWithNamespace(in Input) []finding.Finding {
	var out []finding.Finding
	for _, object := range in.Declared.Shaped {
		if object.Misplaced {
			out = append(out, spot(object.Ref, "/metadata/namespace", "%s is cluster-scoped: the namespace is ignored", object.Ref.Kind))
		}
	}
	return out
}
