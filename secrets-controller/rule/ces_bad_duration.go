// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"time"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var cesBadDuration = Rule{
	ID:          "ces-bad-duration",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "refreshTime of a ClusterExternalSecret is no Go duration. No webhook looks at the kind, and an object that cannot be decoded may keep the operator from seeing the others.",
	Remedy:      "Write the duration in hours, for instance 24h.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4426",
	Check:       checkCesBadDuration,
}

func checkCesBadDuration(in Input) []finding.Finding {
	var out []finding.Finding
	for _, ces := range in.Declared.ClusterExternalSecrets {
		if !ces.RefreshTime.IsText {
			continue
		}
		if _, err := time.ParseDuration(ces.RefreshTime.Text); err != nil {
			out = append(out, spot(ces.Ref, ces.RefreshTime.At, "refreshTime is no duration: the units go up to h, so a day is 24h"))
		}
	}
	return out
}
