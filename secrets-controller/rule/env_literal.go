// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var envLiteral = Rule{
	ID:          "env-literal",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A variable that is named like a secret has its value in the manifest.",
	Remedy:      "Replace the value, and read the new one with valueFrom.secretKeyRef.",
	Source:      "https://github.com/chaos-mesh/chaos-mesh/issues/4358",
	Check:       checkEnvLiteral,
}

func checkEnvLiteral(in Input) []finding.Finding {
	return in.opened("env-literal", func(o declaration.Open) finding.Finding {
		return finding.Finding{Message: "variable " + o.Name + " holds a secret in the clear"}
	})
}
