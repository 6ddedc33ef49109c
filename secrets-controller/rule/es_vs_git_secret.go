// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var esVsGitSecret = Rule{
	ID:          "es-vs-git-secret",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "Git holds a Secret of the name that an ExternalSecret writes as a whole: the operator clears Git's data, the sync puts it back, and so on.",
	Remedy:      "Remove the Secret from Git (for a chart: name the ExternalSecret's target as its existing Secret).",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2416",
	Check:       checkESVsGitSecret,
}

func checkESVsGitSecret(in Input) []finding.Finding {
	return in.againstKind("the operator clears its data and the sync puts them back", "Secret")
}
