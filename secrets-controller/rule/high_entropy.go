// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var highEntropy = Rule{
	ID:          "high-entropy",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A long value that looks random stands under a name that announces a secret.",
	Remedy:      "If it is one, replace it and let a store deliver the next.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkHighEntropy,
}

func checkHighEntropy(in Input) []finding.Finding {
	return in.openedAs("high-entropy", "a long value that looks random, under a name that announces a secret")
}
