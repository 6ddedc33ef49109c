// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedLegacyData = Rule{
	ID:          "sealed-legacy-data",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "spec.data is the form of SealedSecrets before 2018, and is no longer written.",
	Remedy:      "Seal the Secret again.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets",
	Check:       checkSealedLegacyData,
}

func checkSealedLegacyData(in Input) []finding.Finding {
	var out []finding.Finding
	for _, sealed := range in.Declared.SealedSecrets {
		if sealed.Legacy {
			out = append(out, spot(sealed.Ref, "/spec/data", "spec.data is the old form of a SealedSecret"))
		}
	}
	return out
}
