// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var plainSecretRenderedByChart = Rule{
	ID:          "plain-secret-rendered-by-chart",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A Helm chart renders a Secret from values, so the value stands in Git, in a values file or in the chart.",
	Remedy:      "Replace the value, and point the chart at a Secret that exists (commonly existingSecret) and that an ExternalSecret delivers.",
	Source:      "https://github.com/bitnami/charts/issues/1044",
	Check:       checkPlainSecretRenderedByChart,
}

func checkPlainSecretRenderedByChart(in Input) []finding.Finding {
	return in.openLeaves(func(secret declaration.Secret, leaf declaration.Leaf) string {
		if !secret.FromChart || secret.SOPS {
			return ""
		}
		return "key " + leaf.Key + " is rendered by a chart from a value in Git" + in.valueLine(secret, leaf) + ": use existingSecret"
	})
}
