// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var htpasswdHash = Rule{
	ID:          "htpasswd-hash",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A hash of a password stands in the open. It is no password, but whoever reads it can try passwords at leisure.",
	Remedy:      "Keep the hash in a Secret.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2699",
	Check:       checkHtpasswdHash,
}

func checkHtpasswdHash(in Input) []finding.Finding {
	return in.openedAs("htpasswd-hash", "the hash of a password, which can be attacked offline")
}
