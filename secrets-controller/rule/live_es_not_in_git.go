// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveEsNotInGit = Rule{
	ID:          "live-es-not-in-git",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The ExternalSecret exists in the cluster only, and a workload of this set reads what it writes: it would not come back with the namespace.",
	Remedy:      "Take it into Git.",
	Source:      "https://external-secrets.io/latest/api/externalsecret/",
	Check:       checkLiveEsNotInGit,
}

func checkLiveEsNotInGit(in Input) []finding.Finding {
	var out []finding.Finding
	for _, live := range in.Live.ExternalSecrets.Items {
		at := secretName{live.Ref.Namespace, live.Target.Name}
		if _, declared := in.after(live.Ref); declared || live.Owned || len(in.index.productions[at]) > 0 || len(in.index.consumers[at]) == 0 {
			continue
		}
		out = append(out, spot(live.Ref, "", "no Application declares this ExternalSecret, and %s reads Secret %s", listed(in.consumersOf(at)), at.name))
	}
	return out
}
