// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var refreshVsPolicy = Rule{
	ID:          "refresh-vs-policy",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The refresh policy does not look at the interval that stands beside it: a rotated value does not arrive.",
	Remedy:      "Drop the interval, or use Periodic.",
	Source:      "https://external-secrets.io/latest/api/externalsecret/",
	Check:       checkRefreshVsPolicy,
}

func checkRefreshVsPolicy(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		if b.RefreshInterval.IsText && (b.RefreshPolicy == "OnChange" || b.RefreshPolicy == "CreatedOnce") {
			out = append(out, finding.Finding{
				Object: b.ref, Path: string(b.RefreshInterval.At),
				Message: fmt.Sprintf("with refreshPolicy %s the interval has no effect", b.RefreshPolicy),
			})
		}
	}
	return out
}
