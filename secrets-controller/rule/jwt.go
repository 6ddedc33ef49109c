// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var jwt = Rule{
	ID:          "jwt",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A signed token stands in the open. An expired one still shows who it is for, and how such tokens are made.",
	Remedy:      "Revoke it, and request tokens where they are used.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkJwt,
}

func checkJwt(in Input) []finding.Finding {
	return in.opened("jwt", func(o declaration.Open) finding.Finding {
		return finding.Finding{Severity: secretsv1.SeverityError, Message: fmt.Sprintf("%s of %s is a signed token", o.Name, o.Place)}
	})
}
