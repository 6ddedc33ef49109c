// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esNoData = Rule{
	ID:          "es-no-data",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An ExternalSecret with neither data nor dataFrom fetches nothing and is refused by the operator.",
	Remedy:      "Add data or dataFrom, or remove the object.",
	Source:      "https://external-secrets.io/latest/api/externalsecret/",
	Check:       checkESNoData,
}

func checkESNoData(in Input) []finding.Finding {
	var out []finding.Finding
	for _, b := range in.bodies() {
		if len(b.Data) == 0 && len(b.DataFrom) == 0 {
			out = append(out, finding.Finding{
				Object: b.ref, Path: string(b.Base),
				Message: "neither data nor dataFrom: there is nothing to fetch",
			})
		}
	}
	return out
}
