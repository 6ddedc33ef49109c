// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var nondeterministicSecretRender = Rule{
	ID:          "nondeterministic-secret-render",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The chart makes a value of a Secret at each rendering: it differs every time, and what was there does not come back.",
	Remedy:      "Give the chart the name of a Secret that is declared.",
	Source:      "https://github.com/goharbor/harbor-helm/issues/2263",
	Check:       checkNondeterministicSecretRender,
}

func checkNondeterministicSecretRender(in Input) []finding.Finding {
	var out []finding.Finding
	for _, at := range in.Source.Random {
		out = append(out, fromSource(at, "the chart makes another value at each rendering"))
	}
	return out
}
