// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var keystoreBlob = Rule{
	ID:          "keystore-blob",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The bytes are those of a keystore: private keys behind a password that is usually weak.",
	Remedy:      "Make new keys, and keep the keystore in a store.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2745",
	Check:       checkKeystoreBlob,
}

func checkKeystoreBlob(in Input) []finding.Finding {
	return in.openedAs("keystore-blob", "these are the bytes of a keystore (JKS or PKCS#12)")
}
