// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeInlineCredential = Rule{
	ID:          "store-inline-credential",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A store holds a credential in the clear where a reference to a Secret is possible.",
	Remedy:      "Replace the value, put it into a Secret that is declared, and refer to that.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/5950",
	Check:       checkStoreInlineCredential,
}

func checkStoreInlineCredential(in Input) []finding.Finding {
	return in.opened("store-inline-credential", func(o declaration.Open) finding.Finding {
		return finding.Finding{Message: o.Name + " of the store holds a credential in the clear"}
	})
}
