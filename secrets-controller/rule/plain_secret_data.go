// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var plainSecretData = Rule{
	ID:          "plain-secret-data",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A Secret with data stands in Git. base64 is an encoding: whoever reads the repository reads the secret.",
	Remedy:      "Replace the value (it stands in the history of Git from now on), and let an ExternalSecret, a SealedSecret or SOPS deliver the new one.",
	Source:      "https://kubernetes.io/docs/concepts/security/secrets-good-practices/",
	Check:       checkPlainSecretData,
}

func checkPlainSecretData(in Input) []finding.Finding {
	return in.openLeaves(func(secret declaration.Secret, leaf declaration.Leaf) string {
		if !leaf.Encoded || secret.SOPS || secret.FromChart {
			return ""
		}
		return "key " + leaf.Key + " of a Secret stands in Git in the open: base64 is no encryption"
	})
}
