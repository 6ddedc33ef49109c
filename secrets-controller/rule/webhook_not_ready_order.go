// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var webhookNotReadyOrder = Rule{
	ID:          "webhook-not-ready-order",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The operator and its objects come in one set: the admission webhook of the operator has no endpoints yet when the first object arrives, and the apply is refused.",
	Remedy:      "Put the operator into an Application of its own and let this one depend on it.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/956",
	Optional:    true,
	Check:       checkWebhookNotReadyOrder,
}

func checkWebhookNotReadyOrder(in Input) []finding.Finding {
	var out []finding.Finding
	for _, operator := range in.Declared.Operators {
		for _, es := range in.Declared.ExternalSecrets {
			out = append(out, spot(es.Ref, "", "the operator (%s) is delivered in the same set as this object: its webhook does not answer yet", title(operator.Ref)))
		}
	}
	return out
}
