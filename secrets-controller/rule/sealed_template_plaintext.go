// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
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
			if leaf.Shape == declaration.ShapeOpaque && tellsSecret(leaf.Key) {
				out = append(out, leafFinding(sealed.Ref, leaf,
					"key "+leaf.Key+" of the template stands in the clear beside the sealed ones"))
			}
		}
	}
	return out
}

var (
	secretWord = regexp.MustCompile(`(?i)(pass(word|wd|phrase)?|pwd|secret|token|api[-_.]?key|private[-_.]?key|credential|signing[-_.]?key)`)
	// aboutSecret are names that speak about a secret and do not hold one.
	aboutSecret = regexp.MustCompile(`(?i)([-_.](file|path|dir|name|url|uri|enabled|ttl|expiry|length|policy)$|(file|path|dir)name$)`)
)

// tellsSecret says whether a key is named like something secret. Beside
// encrypted keys a template holds settings, so here the name has to decide.
func tellsSecret(key string) bool {
	return secretWord.MatchString(key) && !aboutSecret.MatchString(key)
}
