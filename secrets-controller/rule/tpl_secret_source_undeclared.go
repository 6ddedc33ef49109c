// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplSecretSourceUndeclared = Rule{
	ID:          "tpl-secret-source-undeclared",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The template comes from a Secret that nothing in Git produces.",
	Remedy:      "Declare what produces the Secret.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4395",
	Check:       checkTplSecretSourceUndeclared,
}

func checkTplSecretSourceUndeclared(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		var out []finding.Finding
		for _, from := range templateSources(es, "secret") {
			ref := declaration.Reference{By: es.Ref, Use: declaration.UseTemplate, Namespace: es.Ref.Namespace, Secret: from.Name, SecretAt: from.NameAt()}
			v := in.resolve(ref)
			if v.supply == undeclared || v.supply == uncertain || v.supply == elsewhere {
				out = append(out, in.danglingFinding(ref, v))
			}
		}
		return out
	})
}
