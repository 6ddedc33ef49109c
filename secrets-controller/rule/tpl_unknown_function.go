// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplUnknownFunction = Rule{
	ID:          "tpl-unknown-function",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The template calls a function that the engine does not offer; some existed in an engine that was removed.",
	Remedy:      "Use a function of the present engine.",
	Source:      "https://github.com/external-secrets/external-secrets/pull/701",
	Check:       checkTplUnknownFunction,
}

func checkTplUnknownFunction(in Input) []finding.Finding {
	return in.eachText(func(b body, text declaration.TemplateText) []finding.Finding {
		if len(text.Unoffered) == 0 {
			return nil
		}
		return one(spot(b.ref, text.At, "the template engine does not offer %s", listed(text.Unoffered)))
	})
}
