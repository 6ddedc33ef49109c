// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var lastAppliedLeak = Rule{
	ID:          "last-applied-leak",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The last-applied annotation of kubectl carries a copy of the Secret: somebody committed the output of kubectl get.",
	Remedy:      "Replace the values, and remove the annotation.",
	Source:      "https://github.com/kubernetes/kubernetes/issues/23564",
	Check:       checkLastAppliedLeak,
}

func checkLastAppliedLeak(in Input) []finding.Finding {
	var out []finding.Finding
	at := declaration.Pointer("/metadata/annotations").Child("kubectl.kubernetes.io/last-applied-configuration")
	for _, secret := range in.Declared.Secrets {
		if secret.LastApplied {
			out = append(out, spot(secret.Ref, at, "the annotation carries a copy of the Secret"))
		}
	}
	return out
}
