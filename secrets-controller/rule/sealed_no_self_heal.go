// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var sealedNoSelfHeal = Rule{
	ID:          "sealed-no-self-heal",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The Secret of a SealedSecret is missing: the controller makes it again only when the SealedSecret changes, or at its next full look.",
	Remedy:      "Touch the SealedSecret, or restart the controller.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets/issues/1336",
	Check:       checkSealedNoSelfHeal,
}

func checkSealedNoSelfHeal(in Input) []finding.Finding {
	if !in.Live.Secrets.Known || !in.Live.SealedSecrets.Known {
		return nil
	}
	var out []finding.Finding
	for _, state := range in.Live.SealedSecrets.Items {
		if _, exists := in.index.liveSecrets[secretName{state.Ref.Namespace, state.Secret}]; !exists && state.Done.True() {
			out = append(out, spot(state.Ref, "", "Secret %s is missing, although the SealedSecret counts as synced", state.Secret))
		}
	}
	return out
}
