// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeKindMismatch = Rule{
	ID:          "store-kind-mismatch",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A reference without a kind means a SecretStore of the same namespace. Only a store of the other kind bears the name, and the operator does not look there.",
	Remedy:      "Set secretStoreRef.kind to the kind of the store that is meant.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1007",
	Check:       checkStoreKindMismatch,
}

func checkStoreKindMismatch(in Input) []finding.Finding {
	var out []finding.Finding
	for _, use := range in.storeUses() {
		where, other := in.locate(use)
		if where != otherKind {
			continue
		}
		written := "the kind is left out, which means SecretStore"
		if use.ref.Kind != "" {
			written = "the kind is " + use.ref.Kind
		}
		out = append(out, finding.Finding{
			Object: use.by, Path: string(use.ref.At),
			Message: fmt.Sprintf("%s, but %s is a %s; did you mean kind: %s?", written, use.ref.Name, other.kind, other.kind),
		})
	}
	return out
}
