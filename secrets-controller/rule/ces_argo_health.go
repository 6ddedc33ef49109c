// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var cesArgoHealth = Rule{
	ID:          "ces-argo-health",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Argo CD's health script for a ClusterExternalSecret expects conditions that it does not set: look at its children instead.",
	Remedy:      "Judge the ExternalSecrets that it makes.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2419",
	Check:       checkCesArgoHealth,
}

func checkCesArgoHealth(in Input) []finding.Finding {
	var out []finding.Finding
	if in.Scope.GitOps.Tool != "argocd" {
		return nil
	}
	for _, ces := range in.Declared.ClusterExternalSecrets {
		out = append(out, spot(ces.Ref, "", "Argo CD cannot judge the health of a ClusterExternalSecret; its children tell"))
	}
	return out
}
