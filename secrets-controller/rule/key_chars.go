// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"regexp"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var keyChars = Rule{
	ID:          "key-chars",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A key of a Secret takes letters, digits, dash, dot and underscore. A rewrite makes one that has something else in it: the sync fails.",
	Remedy:      "Replace the character in the rewrite.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2886",
	Check:       checkKeyChars,
}

func checkKeyChars(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		var out []finding.Finding
		for i, item := range b.DataFrom {
			if item.Source.Generator == nil {
				continue
			}
			keys := in.Declared.ItemKeys(i, item, b.ref.Namespace)
			for _, key := range keys.Known {
				if !validKey.MatchString(key) && key != "" {
					out = append(out, spot(b.ref, rewriteAt(item), "the rewrite makes key %s, which has a character that no key of a Secret takes (/ and the like)", key))
					break
				}
			}
		}
		return out
	})
}

var validKey = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// rewriteAt points to the target of the last rewrite by an expression.
func rewriteAt(item declaration.DataFromItem) declaration.Pointer {
	at := item.At
	for _, rewrite := range item.Rewrites {
		if rewrite.Regexp {
			at = rewrite.At.Child("regexp", "target")
		}
	}
	return at
}
