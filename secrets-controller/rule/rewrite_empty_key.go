// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var rewriteEmptyKey = Rule{
	ID:          "rewrite-empty-key",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "In a replacement $1_X names a group called 1_X, which does not exist: every key becomes empty and is dropped in silence.",
	Remedy:      "Put the number of the group in braces.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1713",
	Check:       checkRewriteEmptyKey,
}

func checkRewriteEmptyKey(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for _, item := range b.DataFrom {
			for _, rewrite := range item.Rewrites {
				if group := runInGroup.FindStringSubmatch(rewrite.Target); rewrite.Regexp && group != nil {
					out = append(out, spot(b.ref, rewrite.At.Child("regexp", "target"),
						"$%s%s names a group that does not exist, and the key becomes empty: ${%s}%s is meant", group[1], group[2], group[1], group[2]))
				}
			}
		}
		return out
	})
}

var runInGroup = regexp.MustCompile(`\$(\d+)([A-Za-z_][A-Za-z0-9_]*)`)
