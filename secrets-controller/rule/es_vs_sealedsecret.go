// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esVsSealedSecret = Rule{
	ID:          "es-vs-sealedsecret",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A SealedSecret and an ExternalSecret both own one Secret.",
	Remedy:      "Keep one of the two, or give them different names.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2346",
	Check:       checkESVsSealedSecret,
}

func checkESVsSealedSecret(in Input) []finding.Finding {
	return in.againstKind("two controllers own one Secret", "SealedSecret")
}
