// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var bearerHeader = Rule{
	ID:          "bearer-header",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An Authorization header with its token stands in the open.",
	Remedy:      "Revoke the token, and take the header from a Secret.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/5950",
	Check:       checkBearerHeader,
}

func checkBearerHeader(in Input) []finding.Finding {
	return in.openedAs("bearer-header", "an Authorization header with its token")
}
