// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var dockerauthEmbedded = Rule{
	ID:          "dockerauth-embedded",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The auth field of a Docker configuration is user and password in base64, and this is no Secret.",
	Remedy:      "Replace the password, and use a Secret of type kubernetes.io/dockerconfigjson.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/503",
	Check:       checkDockerauthEmbedded,
}

func checkDockerauthEmbedded(in Input) []finding.Finding {
	return in.openedAs("dockerauth-embedded", "a Docker configuration with auth: user and password in base64")
}
