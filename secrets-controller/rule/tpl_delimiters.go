// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplDelimiters = Rule{
	ID:          "tpl-delimiters",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The operator is started with other delimiters, so that its templates are not written in double braces.",
	Remedy:      "Nothing has to be done; templates are judged for double braces only.",
	Source:      "https://external-secrets.io/latest/guides/templating/",
	Check:       checkTplDelimiters,
}

func checkTplDelimiters(in Input) []finding.Finding {
	var out []finding.Finding
	for _, operator := range in.Declared.Operators {
		if operator.Delimiters != "" {
			out = append(out, spot(operator.Ref, operator.Delimiters, "templates have other delimiters than double braces, and are not judged here"))
		}
	}
	return out
}
