// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplJsonUnquoted = Rule{
	ID:          "tpl-json-unquoted",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A value is put between the quotes of a JSON text as it is: a quote or a line break in it breaks the text.",
	Remedy:      "Write {{ .key | toJson }} without quotes around it.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/503",
	Check:       checkTplJsonUnquoted,
}

func checkTplJsonUnquoted(in Input) []finding.Finding {
	return in.eachText(func(b body, text declaration.TemplateText) []finding.Finding {
		if len(text.Unquoted) == 0 {
			return nil
		}
		return one(spot(b.ref, text.At, "%s is put into JSON as it is: toJson keeps quotes and line breaks right", listed(text.Unquoted)))
	})
}
