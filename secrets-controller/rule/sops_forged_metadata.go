// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsForgedMetadata = Rule{
	ID:          "sops-forged-metadata",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The Secret carries the metadata of SOPS, and not one of its values is encrypted. Metadata is no proof.",
	Remedy:      "Replace the value, and encrypt the file with an expression that matches data and stringData.",
	Source:      "https://github.com/jkroepke/helm-secrets/issues/143",
	Check:       checkSopsForgedMetadata,
}

func checkSopsForgedMetadata(in Input) []finding.Finding {
	return in.openLeaves(func(secret declaration.Secret, leaf declaration.Leaf) string {
		if !secret.SOPS || secret.Encrypted() > 0 {
			return ""
		}
		return "key " + leaf.Key + " is in the clear: the Secret has the metadata of SOPS and no encrypted value"
	})
}
