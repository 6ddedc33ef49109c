// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var webhookUrlSecret = Rule{
	ID:          "webhook-url-secret",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The address of an incoming webhook is its credential: whoever has it may write.",
	Remedy:      "Make a new one, and take it from a Secret.",
	Source:      "https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml",
	Check:       checkWebhookUrlSecret,
}

func checkWebhookUrlSecret(in Input) []finding.Finding {
	return in.openedAs("webhook-url-secret", "the address of a webhook is its credential")
}
