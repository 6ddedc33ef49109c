// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esNameTooLong = Rule{
	ID:          "es-name-too-long",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The operator writes under a field manager that contains the name of the ExternalSecret, and the API server takes at most 128 characters for one: with a longer name every write of the Secret is refused.",
	Remedy:      "Shorten the name to 92 characters.",
	Source:      "https://kubernetes.io/docs/reference/using-api/server-side-apply/",
	Check:       checkEsNameTooLong,
}

func checkEsNameTooLong(in Input) []finding.Finding {
	const longest = 128 - len("externalsecrets.external-secrets.io/")
	var out []finding.Finding
	for _, es := range in.Declared.ExternalSecrets {
		if len(es.Ref.Name) > longest {
			out = append(out, spot(es.Ref, "/metadata/name", "the name has %d characters; beyond %d the operator cannot write the Secret", len(es.Ref.Name), longest))
		}
	}
	for _, ces := range in.Declared.ClusterExternalSecrets {
		if len(ces.ChildName) > longest {
			out = append(out, spot(ces.Ref, "", "the name of the ExternalSecrets that it makes has %d characters; beyond %d the operator cannot write their Secrets", len(ces.ChildName), longest))
		}
	}
	return out
}
