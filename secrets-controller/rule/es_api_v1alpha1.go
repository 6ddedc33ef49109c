// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esAPIV1alpha1 = Rule{
	ID:          "es-api-v1alpha1",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "v1alpha1 left the definitions of ExternalSecret and the stores with ESO 0.16; PushSecret and the generators still have it.",
	Remedy:      "Write apiVersion: external-secrets.io/v1 and move dataFrom to its present form.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2921",
	Check:       checkESAPIV1alpha1,
}

func checkESAPIV1alpha1(in Input) []finding.Finding {
	if in.Live.Versions.Known && slices.Contains(in.Live.Versions.Items, "v1alpha1") {
		return nil
	}
	return in.withVersion("v1alpha1", "external-secrets.io/v1alpha1 was removed with ESO 0.16; external-secrets.io/v1 is the version now")
}
