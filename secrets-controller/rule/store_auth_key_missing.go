// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeAuthKeyMissing = Rule{
	ID:          "store-auth-key-missing",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The Secret that a store logs in with is declared, and none of its producers writes the key that the store asks for.",
	Remedy:      "Correct the key in the store or in the producer.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3769",
	Check:       checkStoreAuthKeyMissing,
}

func checkStoreAuthKeyMissing(in Input) []finding.Finding {
	var out []finding.Finding
	for _, c := range in.credentials() {
		if c.Key == "" || len(in.index.productions[c.at()]) == 0 {
			continue
		}
		v := in.resolve(declaration.Reference{Namespace: c.Namespace, Secret: c.Name, Key: c.Key})
		if v.supply != keyMissing {
			continue
		}
		out = append(out, finding.Finding{
			Object: c.store.Ref, Path: string(c.At.Child("key")),
			Message: fmt.Sprintf("the store asks for key %s of Secret %s, and %s writes only %s%s",
				c.Key, c.Name, producersOf(v.by), listed(v.keys.Known), suggestion(c.Key, v.keys.Known)),
		})
	}
	return out
}
