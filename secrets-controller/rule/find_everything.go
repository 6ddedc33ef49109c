// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var findEverything = Rule{
	ID:          "find-everything",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A find without a path and with an expression that matches everything reads all that the store holds.",
	Remedy:      "Add a path, or an expression for what is needed.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2987",
	Check:       checkFindEverything,
}

func checkFindEverything(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for _, item := range b.DataFrom {
			if item.HasFind && item.FindPath == "" && !item.FindTags && everything.MatchString(item.FindRegexp) {
				out = append(out, spot(b.ref, item.At.Child("find"), "the find has no path and matches everything: it reads the whole store"))
			}
		}
		return out
	})
}

var everything = regexp.MustCompile(`^(\^?\.\*\$?|\^?\(\.\*\)\$?|\.\+|)$`)
