// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var secretInCrdField = Rule{
	ID:          "secret-in-crd-field",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A field of a custom resource that is named like a secret holds its value.",
	Remedy:      "Use the field that refers to a Secret, if the kind has one.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/809",
	Check:       checkSecretInCrdField,
}

func checkSecretInCrdField(in Input) []finding.Finding {
	return in.openedAs("secret-in-crd-field", "the field is named like a secret and holds a value")
}
