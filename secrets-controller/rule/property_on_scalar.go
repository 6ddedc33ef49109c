// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var propertyOnScalar = Rule{
	ID:          "property-on-scalar",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "One place reads a part of a remote value, most others read it as a whole: a value is either an object or a scalar, so one of them is wrong.",
	Remedy:      "Compare the two places with what the store holds.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/4991",
	Check:       checkPropertyOnScalar,
}

func checkPropertyOnScalar(in Input) []finding.Finding {
	return in.oddReads(true)
}
