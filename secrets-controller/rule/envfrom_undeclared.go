// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var envFromUndeclared = Rule{
	ID:          "envfrom-undeclared",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A container takes its environment from a Secret that nothing in Git produces; without it the container is not created.",
	Remedy:      "Declare an ExternalSecret, a SealedSecret or a Certificate that produces it; a Secret made outside Git belongs into a SecretPolicy as an external producer.",
	Source:      "https://github.com/stackrox/kube-linter/issues/1241",
	Check:       checkEnvFromUndeclared,
}

func checkEnvFromUndeclared(in Input) []finding.Finding {
	return in.danglingWhere(func(ref declaration.Reference) bool {
		return ref.Use == declaration.UseEnvFrom && !beforeOrBeside(ref) && !in.prefixed(ref)
	})
}
