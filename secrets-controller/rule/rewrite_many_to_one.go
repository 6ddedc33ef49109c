// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var rewriteManyToOne = Rule{
	ID:          "rewrite-many-to-one",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A rewrite gives several keys one name. Which of their values is kept is chance.",
	Remedy:      "Keep a part of the old name in the new one.",
	Source:      "https://external-secrets.io/latest/guides/datafrom-rewrite/",
	Check:       checkRewriteManyToOne,
}

func checkRewriteManyToOne(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for i, item := range b.DataFrom {
			for _, rewrite := range item.Rewrites {
				if !rewrite.Regexp || strings.Contains(rewrite.Target, "$") || rewrite.Target == "" {
					continue
				}
				expression, err := regexp.Compile(rewrite.Source)
				if err != nil || !expression.MatchString("some") || !expression.MatchString("other") {
					continue
				}
				bare := item
				bare.Rewrites = nil
				f := spot(b.ref, rewrite.At.Child("regexp", "target"), "every key that matches becomes %s, and one value wins by chance", rewrite.Target)
				if len(in.Declared.ItemKeys(i, bare, b.ref.Namespace).Known) > 1 {
					f = graded(f, secretsv1.SeverityError)
				}
				out = append(out, f)
			}
		}
		return out
	})
}
