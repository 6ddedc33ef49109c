// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var findUnsupported = Rule{
	ID:          "find-unsupported",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The provider is known to answer a find otherwise than its documentation says, or not at all.",
	Remedy:      "Name the values one by one under data.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/6550",
	Check:       checkFindUnsupported,
}

func checkFindUnsupported(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		var out []finding.Finding
		provider := in.providerOf(es)
		for _, item := range es.DataFrom {
			if why := oddFind[provider]; item.HasFind && why != "" {
				out = append(out, spot(es.Ref, item.At.Child("find"), "provider %s: %s", provider, why))
			}
		}
		return out
	})
}

// oddFind are the quirks of providers; they change with releases, so that they
// never weigh more than a warning.
var oddFind = map[string]string{
	"bitwardensecretsmanager": "the keys of a find are ids, and its filters are ignored",
	"barbican":                "the expression was taken for an exact name until 2026",
	"github":                  "the provider only writes",
	"webhook":                 "there is no find",
	"onepasswordSDK":          "a find is limited to one vault",
}
