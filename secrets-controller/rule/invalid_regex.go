// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var invalidRegex = Rule{
	ID:          "invalid-regex",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The operator compiles expressions with Go's RE2, which has neither look-around nor back-references. Nothing checks that earlier.",
	Remedy:      "Rewrite the expression without look-around and back-references.",
	Source:      "https://github.com/google/re2/wiki/Syntax",
	Check:       checkInvalidRegex,
}

func checkInvalidRegex(in Input) []finding.Finding {
	var out []finding.Finding
	check := func(ref secretsv1.ObjectReference, at declaration.Pointer, expression string) {
		if _, err := regexp.Compile(expression); err != nil {
			out = append(out, finding.Finding{
				Object: ref, Path: string(at),
				Message: "the regexp does not compile in RE2 (Go), which knows no look-around and no back-references",
			})
		}
	}
	for _, b := range in.bodies() {
		for _, item := range b.DataFrom {
			check(b.ref, item.FindRegexpAt, item.FindRegexp)
			for _, rewrite := range item.Rewrites {
				check(b.ref, rewrite.At.Child("regexp", "source"), rewrite.Source)
			}
		}
	}
	for _, store := range in.Declared.Stores {
		for _, condition := range store.Conditions {
			for i, expression := range condition.Regexes {
				check(store.Ref, condition.At.Child("namespaceRegexes", i), expression)
			}
		}
	}
	return out
}
