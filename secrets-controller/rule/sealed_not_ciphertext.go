// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedNotCiphertext = Rule{
	ID:          "sealed-not-ciphertext",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A value under encryptedData is not what kubeseal writes: it is plain or far too short. The controller cannot unseal it, and it may be the secret itself.",
	Remedy:      "Seal the value with kubeseal; if it was a secret, replace it first.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets#usage",
	Check:       checkSealedNotCiphertext,
}

func checkSealedNotCiphertext(in Input) []finding.Finding {
	var out []finding.Finding
	for _, sealed := range in.Declared.SealedSecrets {
		for _, leaf := range sealed.Encrypted {
			if leaf.Shape != declaration.ShapeEncrypted {
				out = append(out, leafFinding(sealed.Ref, leaf,
					fmt.Sprintf("key %s of encryptedData is no ciphertext (%s)", leaf.Key, leaf.Shape)))
			}
		}
	}
	return out
}
