// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var twoWritersLive = Rule{
	ID:          "two-writers-live",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "Two field managers write the data of the Secret: each takes back what the other wrote.",
	Remedy:      "Leave the Secret to one of them.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3817",
	Check:       checkTwoWritersLive,
}

func checkTwoWritersLive(in Input) []finding.Finding {
	return in.eachWatchedSecret(func(w watchedES, secret declaration.SecretState) []finding.Finding {
		if len(secret.Writers) < 2 || !clearsOthers(w.live.Target.Creation) {
			return nil
		}
		return one(spot(w.live.Ref, "", "Secret %s is written by %s", secret.Name, listed(secret.Writers)))
	})
}

// eachWatchedSecret pairs each declared ExternalSecret that is live with the
// Secret at its target.
func (in Input) eachWatchedSecret(say func(watchedES, declaration.SecretState) []finding.Finding) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		if secret, there := in.index.liveSecrets[w.target()]; w.writesSecret() && there {
			out = append(out, say(w, secret)...)
		}
	}
	return out
}
