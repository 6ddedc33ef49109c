// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeTokenInSelector = Rule{
	ID:          "store-token-in-selector",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The token itself stands where the name or the key of a Secret belongs.",
	Remedy:      "Revoke the token, and name the Secret and key that hold the new one.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4966",
	Check:       checkStoreTokenInSelector,
}

func checkStoreTokenInSelector(in Input) []finding.Finding {
	return in.opened("store-token-in-selector", func(o declaration.Open) finding.Finding {
		return finding.Finding{Message: fmt.Sprintf("%s names a Secret or a key, and what stands there is a token (%s)", o.Name, o.Token())}
	})
}
