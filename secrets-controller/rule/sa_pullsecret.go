// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var saPullSecret = Rule{
	ID:          "sa-pullsecret",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A ServiceAccount names a pull Secret that nothing in Git produces: every pull of every pod of this account fails later.",
	Remedy:      "Declare an ExternalSecret, a SealedSecret or a Certificate that produces it; a Secret made outside Git belongs into a SecretPolicy as an external producer.",
	Source:      "https://github.com/digitalocean/clusterlint/issues/103",
	Check:       checkSaPullSecret,
}

func checkSaPullSecret(in Input) []finding.Finding {
	return in.dangling(declaration.UseServiceAccountPull)
}
