// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplNestedField = Rule{
	ID:          "tpl-nested-field",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The data of a template is a flat map of texts: a field below a key does not exist, though the template parses.",
	Remedy:      "Read the key with fromJson first.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1053",
	Check:       checkTplNestedField,
}

func checkTplNestedField(in Input) []finding.Finding {
	return in.eachText(func(b body, text declaration.TemplateText) []finding.Finding {
		if len(text.Nested) == 0 {
			return nil
		}
		return one(spot(b.ref, text.At, "the template reads .%s, and every key is a text: use fromJson", text.Nested[0]))
	})
}
