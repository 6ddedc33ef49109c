// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var noRefreshDeclared = Rule{
	ID:          "no-refresh-declared",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The interval is not declared: the default of one hour is used.",
	Remedy:      "Nothing has to be done; say the interval if it matters.",
	Source:      "https://github.com/claytono/infra/issues/323",
	Check:       checkNoRefreshDeclared,
}

func checkNoRefreshDeclared(in Input) []finding.Finding {
	return in.eachBody(func(b body) []finding.Finding {
		if b.RefreshInterval.Text != "" || b.RefreshPolicy == "CreatedOnce" || b.RefreshPolicy == "OnChange" {
			return nil
		}
		return one(spot(b.ref, b.Base, "no interval is declared: the default is one hour"))
	})
}
