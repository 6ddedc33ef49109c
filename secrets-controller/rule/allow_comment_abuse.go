// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var allowCommentAbuse = Rule{
	ID:          "allow-comment-abuse",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A comment asks scanners to look away. Only a policy may do that here, with an owner and a reason.",
	Remedy:      "Remove the comment, and write a waiver if the finding is wrong.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkAllowCommentAbuse,
}

func checkAllowCommentAbuse(in Input) []finding.Finding {
	var out []finding.Finding
	for _, at := range in.Source.Markers {
		out = append(out, fromSource(at, "a comment asks scanners to look away; it is not honoured"))
	}
	return out
}
