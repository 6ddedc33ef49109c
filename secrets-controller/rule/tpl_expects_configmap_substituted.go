// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplExpectsConfigmapSubstituted = Rule{
	ID:          "tpl-expects-configmap-substituted",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A workload reads the ConfigMap that holds the template: the operator does not replace anything in it, so the placeholder itself reaches the pod.",
	Remedy:      "Read the Secret that the ExternalSecret writes.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3387",
	Check:       checkTplExpectsConfigmapSubstituted,
}

func checkTplExpectsConfigmapSubstituted(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		var out []finding.Finding
		for _, from := range templateSources(es, "configMap") {
			for _, use := range in.Declared.ConfigMapUses {
				if use.Namespace == es.Ref.Namespace && use.Secret == from.Name {
					out = append(out, spot(use.By, use.SecretAt, "ConfigMap %s is the template of %s: what is read here are its braces", from.Name, title(es.Ref)))
				}
			}
		}
		return out
	})
}
