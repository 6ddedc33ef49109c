// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var volumeUndeclared = Rule{
	ID:          "volume-undeclared",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A pod mounts a Secret that nothing in Git produces; without it the pod waits for the volume for ever.",
	Remedy:      "Declare an ExternalSecret, a SealedSecret or a Certificate that produces it; a Secret made outside Git belongs into a SecretPolicy as an external producer.",
	Source:      "https://github.com/stackrox/kube-linter/issues/1241",
	Check:       checkVolumeUndeclared,
}

func checkVolumeUndeclared(in Input) []finding.Finding {
	return in.dangling(declaration.UseVolume)
}
