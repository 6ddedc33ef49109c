// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplConfigmapRenderedByHelm = Rule{
	ID:          "tpl-configmap-rendered-by-helm",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The ConfigMap that should hold a template has no braces left: a chart evaluated them.",
	Remedy:      "Escape the braces in the chart.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3071",
	Check:       checkTplConfigmapRenderedByHelm,
}

func checkTplConfigmapRenderedByHelm(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		var out []finding.Finding
		for _, from := range templateSources(es, "configMap") {
			texts, _ := in.configMap(es.Ref.Namespace, from.Name)
			for _, item := range from.Items {
				if text, has := texts[item.Key]; has && text.Actions == 0 && !text.Broken {
					out = append(out, spot(es.Ref, item.At, "key %s of ConfigMap %s has no braces in it: Helm has probably evaluated them", item.Key, from.Name))
				}
			}
		}
		return out
	})
}
