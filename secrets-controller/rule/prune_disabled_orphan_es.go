// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var pruneDisabledOrphanEs = Rule{
	ID:          "prune-disabled-orphan-es",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The ExternalSecret is gone from Git and still in the cluster, where it keeps its Secret fresh: what works there does not come back with the namespace.",
	Remedy:      "Delete it in the cluster, or take it back into Git.",
	Source:      "https://external-secrets.io/latest/api/externalsecret/",
	Check:       checkPruneDisabledOrphanEs,
}

func checkPruneDisabledOrphanEs(in Input) []finding.Finding {
	var out []finding.Finding
	if in.Previous == nil || !in.Live.ExternalSecrets.Known {
		return nil
	}
	for _, old := range in.Previous.ExternalSecrets {
		if _, still := in.after(old.Ref); still {
			continue
		}
		if live, exists := in.index.liveES[secretName{old.Ref.Namespace, old.Ref.Name}]; exists {
			out = append(out, spot(live.Ref, "", "the ExternalSecret was removed from Git and is still in the cluster"))
		}
	}
	return out
}
