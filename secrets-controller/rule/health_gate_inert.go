// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var healthGateInert = Rule{
	ID:          "health-gate-inert",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "healthCheckExprs are evaluated only with wait or healthChecks: without them nothing waits for the Secret.",
	Remedy:      "Set wait: true.",
	Source:      "https://github.com/rwlove/home-ops/issues/13508",
	Check:       checkHealthGateInert,
}

func checkHealthGateInert(in Input) []finding.Finding {
	var out []finding.Finding
	for _, d := range in.deployers() {
		if d.HealthExpressions != "" && !d.Waits {
			out = append(out, spot(d.Ref, d.HealthExpressions, "nothing evaluates the expressions: neither wait nor healthChecks is set"))
		}
	}
	return out
}
