// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedTemplatePlaintext = Rule{
	ID:          "sealed-template-plaintext",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The template of a SealedSecret stands in Git in the clear. A key that is named like a secret holds a value there.",
	Remedy:      "Replace the value, and move the key into encryptedData.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets/issues/227",
	Check:       checkSealedTemplatePlaintext,
}

func checkSealedTemplatePlaintext(in Input) []finding.Finding {
	var out []finding.Finding
	for _, sealed := range in.Declared.SealedSecrets {
		for _, leaf := range sealed.Template {
			if leaf.Shape == declaration.ShapeOpaque && (shape.Announces(leaf.Key) || len(leaf.Hits) > 0 && !leaf.Has(shape.Random)) {
				out = append(out, leafFinding(sealed.Ref, leaf,
					"key "+leaf.Key+" of the template stands in the clear beside the sealed ones"))
			}
		}
	}
	return out
}
