// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var basicAuthHeader = Rule{
	ID:          "basic-auth-header",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "An Authorization header with user and password stands in the open: base64 is no encryption.",
	Remedy:      "Replace the password, and take the header from a Secret.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkBasicAuthHeader,
}

func checkBasicAuthHeader(in Input) []finding.Finding {
	return in.openedAs("basic-auth-header", "an Authorization header with user and password")
}
