// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplMultilineIndent = Rule{
	ID:          "tpl-multiline-indent",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A value of several lines is put into a YAML block: only its first line gets the indentation of the template.",
	Remedy:      "Write {{ .key | nindent 4 }} with the depth of the block.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1035",
	Check:       checkTplMultilineIndent,
}

func checkTplMultilineIndent(in Input) []finding.Finding {
	return in.eachText(func(b body, text declaration.TemplateText) []finding.Finding {
		if len(text.Unindented) == 0 {
			return nil
		}
		return one(spot(b.ref, text.At, "%s stands alone in a YAML block: from its second line on the indentation is missing, nindent adds it", listed(text.Unindented)))
	})
}
