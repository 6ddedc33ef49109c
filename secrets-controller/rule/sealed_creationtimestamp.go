// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedCreationtimestamp = Rule{
	ID:          "sealed-creationtimestamp",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "creationTimestamp: null, which kubeseal writes, shows as a difference in some tools.",
	Remedy:      "Remove the field.",
	Source:      "https://github.com/argoproj/argo-cd/issues/1009",
	Check:       checkSealedCreationtimestamp,
}

func checkSealedCreationtimestamp(in Input) []finding.Finding {
	var out []finding.Finding
	for _, sealed := range in.Declared.SealedSecrets {
		if sealed.NullTimestamp != "" {
			out = append(out, spot(sealed.Ref, sealed.NullTimestamp, "creationTimestamp is null: some tools show a difference"))
		}
	}
	return out
}
