// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedScopeAnnotation = Rule{
	ID:          "sealed-scope-annotation",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The scope stands in the template only, and not on the SealedSecret: the controller reads it there, and cannot unseal.",
	Remedy:      "Put the scope annotation on the SealedSecret itself.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets/issues/450",
	Check:       checkSealedScopeAnnotation,
}

func checkSealedScopeAnnotation(in Input) []finding.Finding {
	var out []finding.Finding
	for _, sealed := range in.Declared.SealedSecrets {
		inside, outside := declaration.Scope(sealed.TemplateAnnotations), declaration.Scope(sealed.Annotations)
		if inside != outside && inside != "strict" {
			out = append(out, spot(sealed.Ref, "/metadata/annotations", "the template asks for scope %s, and the SealedSecret itself is %s: it cannot be unsealed", inside, outside))
		}
	}
	return out
}
