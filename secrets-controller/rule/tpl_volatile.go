// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplVolatile = Rule{
	ID:          "tpl-volatile",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The template gives another result at each refresh: the Secret changes every time, and what restarts on a change restarts every time.",
	Remedy:      "Use refreshPolicy CreatedOnce with an immutable target, or a generator.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2699",
	Check:       checkTplVolatile,
}

func checkTplVolatile(in Input) []finding.Finding {
	return in.eachText(func(b body, text declaration.TemplateText) []finding.Finding {
		if _, renewed := renewal(b.Spec); len(text.Volatile) == 0 || !renewed {
			return nil
		}
		return one(spot(b.ref, text.At, "%s gives another result at each refresh", listed(text.Volatile)))
	})
}
