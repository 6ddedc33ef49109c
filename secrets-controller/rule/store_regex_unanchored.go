// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeRegexUnanchored = Rule{
	ID:          "store-regex-unanchored",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The operator matches namespaceRegexes anywhere in the name of a namespace, so that prod admits nonprod too.",
	Remedy:      "Anchor the expression with ^ and $.",
	Source:      "https://github.com/datreeio/CRDs-catalog/issues/391",
	Check:       checkStoreRegexUnanchored,
}

func checkStoreRegexUnanchored(in Input) []finding.Finding {
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		for _, condition := range store.Conditions {
			for i, source := range condition.Regexes {
				if strings.HasPrefix(source, "^") || strings.HasPrefix(source, ".*") {
					continue
				}
				out = append(out, spot(store.Ref, condition.At.Child("namespaceRegexes", i),
					"%s matches anywhere in a name%s; ^%s begins where the name begins", source, in.admittedByAccident(source), source))
			}
		}
	}
	return out
}

// admittedByAccident lists namespaces that an expression matches further on in
// their name.
func (in Input) admittedByAccident(source string) string {
	expression, err := regexp.Compile(source)
	if err != nil {
		return ""
	}
	var names []string
	for name := range in.index.labels {
		if at := expression.FindStringIndex(name); at != nil && at[0] > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", and so admits " + listed(names)
}
