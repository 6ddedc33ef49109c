// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storePlainHttp = Rule{
	ID:          "store-plain-http",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The store is reached without TLS: its token and every value pass the network in the clear.",
	Remedy:      "Use https.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2494",
	Optional:    true,
	Check:       checkStorePlainHttp,
}

func checkStorePlainHttp(in Input) []finding.Finding {
	var out []finding.Finding
	for _, store := range in.Declared.Stores {
		for _, at := range store.Plain {
			out = append(out, spot(store.Ref, at, "the address has no TLS: values and the credential of the store pass in the clear"))
		}
	}
	return out
}
