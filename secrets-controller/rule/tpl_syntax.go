// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplSyntax = Rule{
	ID:          "tpl-syntax",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The template does not parse: the sync fails and no Secret appears. A dash in a field is the usual cause, since Go reads it as a minus.",
	Remedy:      "Write index . \"name\" for a key with a dash or a dot.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3210",
	Check:       checkTplSyntax,
}

func checkTplSyntax(in Input) []finding.Finding {
	return in.eachText(func(b body, text declaration.TemplateText) []finding.Finding {
		if !text.Broken {
			return nil
		}
		f := spot(b.ref, text.At, "the template does not parse")
		if len(text.Dashed) > 0 {
			f.Message += fmt.Sprintf(": .%s is read as a subtraction; index . %q is the form", text.Dashed[0], text.Dashed[0])
		}
		return one(f)
	})
}
