// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveOwnerMismatch = Rule{
	ID:          "live-owner-mismatch",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The Secret is owned by another ExternalSecret, or by one of that name that no longer exists: after a restore from a backup the operator does not touch it.",
	Remedy:      "Delete the Secret, so that it is made again.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3199",
	Check:       checkLiveOwnerMismatch,
}

func checkLiveOwnerMismatch(in Input) []finding.Finding {
	return in.eachWatchedSecret(func(w watchedES, secret declaration.SecretState) []finding.Finding {
		if secret.Owner.Kind != "ExternalSecret" || adds(w.live.Target.Creation) {
			return nil
		}
		if secret.Owner.Name != w.live.Ref.Name || secret.OwnerUID != "" && w.live.UID != "" && secret.OwnerUID != w.live.UID {
			return one(spot(w.live.Ref, "", "Secret %s is owned by another ExternalSecret (%s)", secret.Name, secret.Owner.Name))
		}
		return nil
	})
}
