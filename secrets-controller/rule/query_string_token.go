// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var queryStringToken = Rule{
	ID:          "query-string-token",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The query of a URL carries a token or a signature: whoever has the URL has the right.",
	Remedy:      "Let it expire, and take the next one from a Secret.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkQueryStringToken,
}

func checkQueryStringToken(in Input) []finding.Finding {
	return in.openedAs("query-string-token", "the URL carries a token or a signature (token=, sig=)")
}
