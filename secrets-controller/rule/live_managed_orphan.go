// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveManagedOrphan = Rule{
	ID:          "live-managed-orphan",
	Severity:    secretsv1.SeverityInfo,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The Secret bears the operator's mark, and no ExternalSecret writes it any more.",
	Remedy:      "Delete it if nobody reads it.",
	Source:      "https://github.com/redhat-appstudio/infra-deployments/issues/3472",
	Check:       checkLiveManagedOrphan,
}

func checkLiveManagedOrphan(in Input) []finding.Finding {
	var out []finding.Finding
	if !in.Live.ExternalSecrets.Known {
		return nil
	}
	for _, secret := range in.Live.Secrets.Items {
		at := secretName{secret.Namespace, secret.Name}
		if _, written := in.index.liveTargets[at]; secret.Managed && !written && len(in.index.productions[at]) == 0 && secret.Owner.Name == "" {
			ref := secretsv1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: secret.Namespace, Name: secret.Name}
			out = append(out, spot(ref, "", "the Secret was written by an ExternalSecret that is gone"))
		}
	}
	return out
}
