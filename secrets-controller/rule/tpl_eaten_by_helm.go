// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplEatenByHelm = Rule{
	ID:          "tpl-eaten-by-helm",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A key is fetched and no text of the template uses it, while a value of the template is empty: Helm evaluated the braces that were meant for the operator.",
	Remedy:      "Escape the braces in the chart, as {{ \"{{ .key }}\" }}.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3071",
	Check:       checkTplEatenByHelm,
}

func checkTplEatenByHelm(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		template := b.Target.Template
		if template == nil || template.Merge {
			return nil
		}
		unused := in.unusedKeys(b)
		var out []finding.Finding
		for _, text := range template.Data {
			if len(unused) > 0 && text.Actions == 0 && !text.Broken && (text.Shape == declaration.ShapeEmpty || text.Shape == declaration.ShapePlaceholder) {
				out = append(out, spot(b.ref, text.At, "%s is empty and fetched key %s is used nowhere: Helm has probably evaluated the braces", text.Key, listed(unused)))
			}
		}
		return out
	})
}

// unusedKeys are fetched and read by no text of the template.
func (in Input) unusedKeys(b body) []string {
	used := map[string]bool{}
	for _, text := range slices.Concat(b.Target.Template.Data, b.Target.Template.Metadata) {
		if text.Rebound || text.Broken {
			return nil
		}
		for _, field := range text.Fields {
			used[field] = true
		}
	}
	if len(b.Target.Template.From) > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(in.Declared.FetchedKeys(b.Spec, b.ref.Namespace).Known), func(key string) bool { return used[key] })
}
