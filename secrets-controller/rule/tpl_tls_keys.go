// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var tplTLSKeys = Rule{
	ID:          "tpl-tls-keys",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The API server refuses a kubernetes.io/tls Secret without tls.crt and tls.key.",
	Remedy:      "Write the keys of the type in template.data, or leave the type out.",
	Source:      "https://kubernetes.io/docs/concepts/configuration/secret/#tls-secrets",
	Check:       checkTplTLSKeys,
}

func checkTplTLSKeys(in Input) []finding.Finding {
	return in.missingTypeKeys("kubernetes.io/tls")
}
