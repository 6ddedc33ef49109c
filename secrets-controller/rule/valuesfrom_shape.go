// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/shape"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var valuesfromShape = Rule{
	ID:          "valuesfrom-shape",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Without a targetPath the key of valuesFrom has to hold a document of values. Its name promises a single value.",
	Remedy:      "Add targetPath.",
	Source:      "https://github.com/fluxcd/flux2/issues/5221",
	Check:       checkValuesfromShape,
}

func checkValuesfromShape(in Input) []finding.Finding {
	var out []finding.Finding
	for _, from := range in.Declared.ValuesFrom {
		if !from.Target && shape.Announces(strings.TrimSuffix(from.Key, ".yaml")) && !strings.Contains(from.Key, "values") {
			out = append(out, spot(from.By, from.At, "key %s is merged as a document of values, and its name promises one value: targetPath is missing", from.Key))
		}
	}
	return out
}
