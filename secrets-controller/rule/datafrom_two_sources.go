// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var dataFromTwoSources = Rule{
	ID:          "datafrom-two-sources",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "One dataFrom item holds exactly one of extract, find and a generator; the operator refuses more.",
	Remedy:      "Make one dataFrom item of each.",
	Source:      "https://external-secrets.io/latest/api/externalsecret/",
	Check:       checkDataFromTwoSources,
}

func checkDataFromTwoSources(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		for _, item := range b.DataFrom {
			if sources := sourcesOf(item); len(sources) > 1 {
				out = append(out, finding.Finding{
					Object: b.ref, Path: string(item.At),
					Message: fmt.Sprintf("one item has %s; it may have one of them", strings.Join(sources, " and ")),
				})
			}
		}
	}
	return out
}

func sourcesOf(item declaration.DataFromItem) []string {
	var sources []string
	if item.HasExtract {
		sources = append(sources, "extract")
	}
	if item.HasFind {
		sources = append(sources, "find")
	}
	if item.Source.Generator != nil {
		sources = append(sources, "generatorRef")
	}
	return sources
}
