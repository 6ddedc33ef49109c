// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"fmt"
	"strings"

	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

// piece is the length from which a part of a value counts as leaked.
const piece = 4

// leaks looks for pieces of planted values in everything that a report would
// show. Pieces that also occur in the rest of the manifests, as names do, prove
// nothing and are left out.
func (c Case) leaks(got []finding.Finding) []string {
	harmless := string(c.Manifests)
	for _, value := range c.Expect.Redact {
		harmless = strings.ReplaceAll(harmless, value, "\x00")
	}
	var problems []string
	for _, f := range got {
		shown := strings.Join([]string{f.Rule, objectOf(f), f.Path, f.Message, f.Remedy}, "\n")
		for _, value := range c.Expect.Redact {
			if part := sharedPiece(value, shown, harmless); part {
				problems = append(problems, fmt.Sprintf("%s on %s shows a piece of a planted value", f.Rule, objectOf(f)))
			}
		}
	}
	return problems
}

func sharedPiece(value, shown, harmless string) bool {
	for i := 0; i+piece <= len(value); i++ {
		part := value[i : i+piece]
		if strings.Contains(shown, part) && !strings.Contains(harmless, part) {
			return true
		}
	}
	return false
}
