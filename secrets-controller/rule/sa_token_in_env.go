// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var saTokenInEnv = Rule{
	ID:          "sa-token-in-env",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A typed token Secret without the annotation of its account is not filled by the control plane.",
	Remedy:      "Add kubernetes.io/service-account.name, or use a projected token.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/1602",
	Check:       checkSaTokenInEnv,
}

func checkSaTokenInEnv(in Input) []finding.Finding {
	var out []finding.Finding
	for _, secret := range in.Declared.Secrets {
		if secret.Type == "kubernetes.io/service-account-token" && !secret.Token && len(secret.Leaves) == 0 {
			out = append(out, spot(secret.Ref, "/type", "the token Secret names no service account: nobody fills it"))
		}
	}
	return out
}
