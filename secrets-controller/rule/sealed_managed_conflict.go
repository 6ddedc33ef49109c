// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedManagedConflict = Rule{
	ID:          "sealed-managed-conflict",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The Secret exists and the controller did not make it: without an annotation that lets it, the controller refuses to overwrite it.",
	Remedy:      "Put sealedsecrets.bitnami.com/managed: \"true\" on the existing Secret.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets",
	Check:       checkSealedManagedConflict,
}

func checkSealedManagedConflict(in Input) []finding.Finding {
	if !in.Live.Secrets.Known {
		return nil
	}
	var out []finding.Finding
	for _, sealed := range in.Declared.SealedSecrets {
		secret, exists := in.index.liveSecrets[secretName{sealed.Ref.Namespace, sealed.Ref.Name}]
		if exists && secret.Owner.Name == "" && !secret.SealedManaged {
			out = append(out, spot(sealed.Ref, "", "Secret %s exists and is not the controller's: it will not be overwritten", secret.Name))
		}
	}
	return out
}
