// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeWriteOnly = Rule{
	ID:          "store-write-only",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The provider publishes values and cannot read them back, so an ExternalSecret on it never delivers.",
	Remedy:      "Fetch from the store that holds the value, and keep this one for PushSecrets.",
	Source:      "https://external-secrets.io/latest/provider/github/",
	Check:       checkStoreWriteOnly,
}

// writeOnly are the providers that cannot read.
var writeOnly = map[string]bool{"github": true}

func checkStoreWriteOnly(in Input) []finding.Finding {
	var out []finding.Finding
	for _, use := range in.storeUses() {
		where, at := in.locate(use)
		if where != storeFound {
			continue
		}
		for _, provider := range in.index.stores[at].Providers {
			if writeOnly[provider] {
				out = append(out, finding.Finding{
					Object: use.by, Path: string(use.ref.At),
					Message: fmt.Sprintf("store %s is of provider %s, which can only write", at.name, provider),
				})
			}
		}
	}
	return out
}
