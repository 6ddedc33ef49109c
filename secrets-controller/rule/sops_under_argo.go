// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sopsUnderArgo = Rule{
	ID:          "sops-under-argo",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "A plain Application of Argo CD does not decrypt: what it applies is ciphertext, with a field that the API does not know.",
	Remedy:      "Use an ExternalSecret or a SealedSecret, or a plugin that decrypts.",
	Source:      "https://github.com/jkroepke/helm-secrets/issues/469",
	Check:       checkSopsUnderArgo,
}

func checkSopsUnderArgo(in Input) []finding.Finding {
	argo := in.appliedBy("Application")
	plugin := in.Scope.GitOps.Plugin || argo != nil && argo.Plugin
	if in.Scope.GitOps.Tool != "argocd" && argo == nil || plugin {
		return nil
	}
	var out []finding.Finding
	for _, secret := range in.Declared.Secrets {
		if secret.SOPS {
			out = append(out, spot(secret.Ref, secret.SOPSAt, "Argo CD does not decrypt: it would apply ciphertext"))
		}
	}
	return out
}
