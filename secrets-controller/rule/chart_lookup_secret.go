// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var chartLookupSecret = Rule{
	ID:          "chart-lookup-secret",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The chart reads a live Secret while it renders: without a cluster it renders something else, or nothing.",
	Remedy:      "Give the chart the name of a Secret that is declared.",
	Source:      "https://github.com/community-charts/helm-charts/issues/217",
	Check:       checkChartLookupSecret,
}

func checkChartLookupSecret(in Input) []finding.Finding {
	var out []finding.Finding
	for _, at := range in.Source.Lookups {
		out = append(out, fromSource(at, "the chart looks a live Secret up while it renders"))
	}
	return out
}

// fromSource is a finding about a file in Git.
func fromSource(at declaration.SourceLine, format string, args ...any) finding.Finding {
	return finding.Finding{
		Object:  secretsv1.ObjectReference{APIVersion: "source", Kind: "File", Name: at.File},
		Path:    fmt.Sprintf("%s:%d", at.File, at.Line),
		Message: fmt.Sprintf(format, args...),
	}
}
