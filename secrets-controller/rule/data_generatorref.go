// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var dataGeneratorRef = Rule{
	ID:          "data-generatorref",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A generatorRef under data is in the schema and not implemented: the operator looks for a store without a name instead.",
	Remedy:      "Move the generatorRef to a dataFrom item and rename its key with rewrite or a template.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2377",
	Check:       checkDataGeneratorRef,
}

func checkDataGeneratorRef(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		for _, item := range b.Data {
			if item.Source.Generator != nil {
				out = append(out, finding.Finding{
					Object: b.ref, Path: string(item.Source.Generator.At),
					Message: "a generatorRef under data is not implemented by the operator; it belongs to dataFrom",
				})
			}
		}
	}
	return out
}
