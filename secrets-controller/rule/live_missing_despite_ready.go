// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveMissingDespiteReady = Rule{
	ID:          "live-missing-despite-ready",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The ExternalSecret says Ready and there is no Secret: Merge without a base, Retain with an empty provider, or a Secret that somebody deleted.",
	Remedy:      "Create the base Secret of a Merge; otherwise annotate the ExternalSecret with force-sync.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2894",
	Check:       checkLiveMissingDespiteReady,
}

// The reasons with which ESO reports Ready without a Secret.
const (
	reasonMissing = "SecretMissing"
	reasonDeleted = "SecretDeleted"
)

func checkLiveMissingDespiteReady(in Input) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		if !w.writesSecret() || !w.live.Ready.True() || w.live.Ready.Reason == reasonDeleted {
			continue
		}
		_, there := in.index.liveSecrets[w.target()]
		absent := in.Live.Secrets.Known && !there
		if w.live.Ready.Reason == reasonMissing || absent {
			out = append(out, finding.Finding{
				Object: w.live.Ref, Path: "/status/conditions",
				Message: fmt.Sprintf("Ready is True (%s), and Secret %s does not exist", w.live.Ready.Reason, w.live.Target.Name),
			})
		}
	}
	return out
}
