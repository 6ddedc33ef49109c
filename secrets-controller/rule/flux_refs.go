// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var fluxRefs = Rule{
	ID:          "flux-refs",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An object of Flux refers to a Secret that nothing in Git produces: the reconciliation fails on a rebuilt cluster.",
	Remedy:      "Declare what produces the Secret, or name it as a root in a SecretPolicy.",
	Source:      "https://github.com/fluxcd/flux2/issues/5221",
	Check:       checkFluxRefs,
}

func checkFluxRefs(in Input) []finding.Finding {
	return in.dangling(declaration.UseFlux)
}
