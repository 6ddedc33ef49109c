// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var generatorPeriodic = Rule{
	ID:          "generator-periodic",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A generator of random material yields a new value at each refresh, and whoever knows the old one is not told.",
	Remedy:      "Set refreshPolicy: CreatedOnce.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/5782",
	Check:       checkGeneratorPeriodic,
}

// randomGenerators make values that must stay; token generators are meant to
// be renewed.
var randomGenerators = map[string]bool{"Password": true, "UUID": true, "SSHKey": true}

func checkGeneratorPeriodic(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		interval, renewed := renewal(b.Spec)
		for _, item := range b.DataFrom {
			if generator := item.Source.Generator; renewed && generator != nil && randomGenerators[generator.Kind] {
				out = append(out, finding.Finding{
					Object: b.ref, Path: string(b.RefreshInterval.At),
					Message: fmt.Sprintf("a %s generator makes a new value every %s; CreatedOnce keeps the first", generator.Kind, interval),
				})
				break
			}
		}
	}
	return out
}
