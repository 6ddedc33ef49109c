// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var rewriteNoMatch = Rule{
	ID:          "rewrite-no-match",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The expression of a rewrite matches none of the keys that are known: it does nothing.",
	Remedy:      "Compare the expression with the keys that the source yields.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2886",
	Check:       checkRewriteNoMatch,
}

func checkRewriteNoMatch(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for i, item := range b.DataFrom {
			bare := item
			bare.Rewrites = nil
			keys := in.Declared.ItemKeys(i, bare, b.ref.Namespace)
			if len(item.Rewrites) != 1 || !item.Rewrites[0].Regexp || keys.Open != "" || len(keys.Known) == 0 {
				continue
			}
			expression, err := regexp.Compile(item.Rewrites[0].Source)
			if err == nil && !slices.ContainsFunc(keys.Known, expression.MatchString) {
				out = append(out, spot(b.ref, item.Rewrites[0].At.Child("regexp", "source"), "the expression matches none of %s", listed(keys.Known)))
			}
		}
		return out
	})
}
