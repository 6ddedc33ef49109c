// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var rewriteMergePriority = Rule{
	ID:          "rewrite-merge-priority",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A merge rewrite with strict priority fails where a named key is not there, and the item cannot be seen to yield it.",
	Remedy:      "Name keys that the item yields, or set priorityPolicy IgnoreNotFound.",
	Source:      "https://external-secrets.io/latest/guides/datafrom-rewrite/",
	Check:       checkRewriteMergePriority,
}

func checkRewriteMergePriority(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for i, item := range b.DataFrom {
			bare := item
			bare.Rewrites = nil
			keys := in.Declared.ItemKeys(i, bare, b.ref.Namespace)
			for _, rewrite := range item.Rewrites {
				for j, name := range rewrite.Priority {
					certainty, reason := keys.Has(name)
					if !rewrite.Merge || !rewrite.Strict || certainty == declaration.KeyDeclared {
						continue
					}
					f := spot(b.ref, rewrite.At.Child("merge", "priority", j), "priority names %s, which the item does not yield", name)
					if certainty == declaration.KeyUnknown {
						f = graded(f, secretsv1.SeverityUnknown)
						f.Message = "whether the item yields " + name + " cannot be told: " + reason
					}
					out = append(out, f)
				}
			}
		}
		return out
	})
}
