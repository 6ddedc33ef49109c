// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var cesVsESName = Rule{
	ID:          "ces-vs-es-name",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A ClusterExternalSecret wants to create an ExternalSecret whose name Git gives to another one. It is not its owner, so the namespace counts as failed.",
	Remedy:      "Set externalSecretName, or rename the ExternalSecret.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1337",
	Check:       checkCESVsESName,
}

func checkCESVsESName(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ces := range in.Declared.ClusterExternalSecrets {
		for _, es := range in.Declared.ExternalSecrets {
			namespace := es.Ref.Namespace
			if es.Ref.Name != ces.ChildName || ces.Admits(namespace, in.index.labels[namespace]) != declaration.Admitted {
				continue
			}
			out = append(out, finding.Finding{
				Object: ces.Ref, Path: "/spec/externalSecretName",
				Message: fmt.Sprintf("namespace %s is selected, and ExternalSecret %s is declared there already", namespace, ces.ChildName),
			})
		}
	}
	return out
}
