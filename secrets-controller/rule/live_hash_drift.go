// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"strings"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveHashDrift = Rule{
	ID:          "live-hash-drift",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "Somebody else than the operator wrote data of the Secret. The operator repairs that at its next look; for an Orphan nobody does.",
	Remedy:      "Undo the edit, and change the value in the store.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3817",
	Check:       checkLiveHashDrift,
}

func checkLiveHashDrift(in Input) []finding.Finding {
	return in.eachWatchedSecret(func(w watchedES, secret declaration.SecretState) []finding.Finding {
		for _, writer := range secret.Writers {
			if !strings.HasPrefix(writer, "externalsecrets.external-secrets.io/") && !adds(w.live.Target.Creation) {
				return one(spot(w.live.Ref, "", "data of Secret %s was written by %s", secret.Name, writer))
			}
		}
		return nil
	})
}
