// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var helmValuesInline = Rule{
	ID:          "helm-values-inline",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The values of a release hold a secret: they stand in the object in the clear, in Git and in the cluster.",
	Remedy:      "Replace the value, and take it from a Secret with valuesFrom.",
	Source:      "https://github.com/argoproj/argo-cd/issues/1786",
	Check:       checkHelmValuesInline,
}

func checkHelmValuesInline(in Input) []finding.Finding {
	return in.opened("helm-values-inline", func(o declaration.Open) finding.Finding {
		return finding.Finding{Message: "value " + o.Name + " of the release holds a secret in the clear"}
	})
}
