// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplUnknownKey = Rule{
	ID:          "tpl-unknown-key",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The template reads a key that nothing fetches. Current releases fail; older ones wrote an empty text.",
	Remedy:      "Correct the key, or fetch it.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3480",
	Check:       checkTplUnknownKey,
}

func checkTplUnknownKey(in Input) []finding.Finding {
	return in.eachText(func(b body, text declaration.TemplateText) []finding.Finding {
		keys := in.Declared.FetchedKeys(b.Spec, b.ref.Namespace)
		var absent, doubtful []string
		reason := ""
		for _, field := range text.Fields {
			certainty, why := keys.Has(field)
			switch certainty {
			case declaration.KeyAbsent:
				absent = append(absent, field)
			case declaration.KeyUnknown:
				doubtful, reason = append(doubtful, field), why
			case declaration.KeyDeclared:
			}
		}
		var out []finding.Finding
		if len(absent) > 0 {
			out = append(out, spot(b.ref, text.At, "the template reads %s, and fetched are %s%s", listed(absent), listed(keys.Known), suggestion(absent[0], keys.Known)))
		}
		if len(doubtful) > 0 {
			out = append(out, graded(spot(b.ref, text.At, "whether there is a key %s cannot be told from Git: %s", listed(doubtful), reason), secretsv1.SeverityUnknown))
		}
		return out
	})
}
