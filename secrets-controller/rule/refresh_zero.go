// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var refreshZero = Rule{
	ID:          "refresh-zero",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "With an interval of 0 the operator syncs once. Later edits of the ExternalSecret are ignored for good, and a rotated value never arrives.",
	Remedy:      "Set an interval, or refreshPolicy CreatedOnce or OnChange if that is what is meant.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4167",
	Check:       checkRefreshZero,
}

func checkRefreshZero(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		if !ignoresEdits(b.Spec) {
			continue
		}
		f := spot(b.ref, b.RefreshInterval.At, "an interval of 0 means one sync: later edits are ignored, and a rotated value never arrives")
		if edit := in.editOf(b); edit != "" {
			f.Severity = secretsv1.SeverityError
			f.Message = "this commit changes " + edit + ", and with an interval of 0 the operator ignores it for good"
		}
		out = append(out, f)
	}
	return out
}
