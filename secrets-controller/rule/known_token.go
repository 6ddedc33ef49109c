// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var knownToken = Rule{
	ID:          "known-token",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The value has the form of a token of a known vendor.",
	Remedy:      "Revoke it, and let a store deliver the next one.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkKnownToken,
}

func checkKnownToken(in Input) []finding.Finding {
	return in.opened("known-token", func(o declaration.Open) finding.Finding {
		return finding.Finding{Message: fmt.Sprintf("%s of %s has the form of a token (%s)", o.Name, o.Place, o.Token())}
	})
}
