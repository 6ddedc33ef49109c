// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

var crdSchemaViolation = Rule{
	ID:          "crd-schema-violation",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The object breaks the schema of its kind: a wrong type, a text that the schema does not match, a required field that is missing. The API server refuses it.",
	Remedy:      "Correct the field as the message says.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/299",
	Check:       checkCrdSchemaViolation,
}

func checkCrdSchemaViolation(in Input) []finding.Finding {
	return in.violations(func(v violation) bool {
		switch v.Fault {
		case schema.WrongType, schema.NotMatched, schema.Missing, schema.OutOfRange:
			return !v.newer
		}
		return false
	})
}
