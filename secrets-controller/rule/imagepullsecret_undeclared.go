// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var imagePullSecretUndeclared = Rule{
	ID:          "imagepullsecret-undeclared",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A pull Secret that is missing is tolerated by the API, and the pull fails later.",
	Remedy:      "Declare an ExternalSecret, a SealedSecret or a Certificate that produces it; a Secret made outside Git belongs into a SecretPolicy as an external producer.",
	Source:      "https://github.com/kubernetes/kubernetes/issues/12736",
	Check:       checkImagePullSecretUndeclared,
}

func checkImagePullSecretUndeclared(in Input) []finding.Finding {
	return in.dangling(declaration.UseImagePull)
}
