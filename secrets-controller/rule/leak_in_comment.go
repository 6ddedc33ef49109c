// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var leakInComment = Rule{
	ID:          "leak-in-comment",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A line that is commented out holds a secret: Git keeps it all the same.",
	Remedy:      "Replace the value, and remove the line.",
	Source:      "https://github.com/yuvipanda/pre-commit-hook-ensure-sops/issues/13",
	Check:       checkLeakInComment,
}

func checkLeakInComment(in Input) []finding.Finding {
	var out []finding.Finding
	for _, at := range in.Source.Comments {
		out = append(out, fromSource(at, "a line that is commented out holds a secret"))
	}
	return out
}
