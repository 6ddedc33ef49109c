// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var plainSecretStringData = Rule{
	ID:          "plain-secret-stringdata",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A Secret with stringData stands in Git as plain text.",
	Remedy:      "Replace the value (it stands in the history of Git from now on), and let an ExternalSecret, a SealedSecret or SOPS deliver the new one.",
	Source:      "https://github.com/gitleaks/gitleaks/issues/1513",
	Check:       checkPlainSecretStringData,
}

func checkPlainSecretStringData(in Input) []finding.Finding {
	return in.openLeaves(func(secret declaration.Secret, leaf declaration.Leaf) string {
		if leaf.Encoded || secret.SOPS || secret.FromChart {
			return ""
		}
		return "key " + leaf.Key + " of a Secret stands in Git as plain text"
	})
}
