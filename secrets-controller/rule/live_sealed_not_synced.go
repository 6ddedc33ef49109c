// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveSealedNotSynced = Rule{
	ID:          "live-sealed-not-synced",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The SealedSecret could not be unsealed in its present form. An older Secret may still be there, so looking at the Secret is not enough.",
	Remedy:      "Seal the value again for this cluster, namespace and name.",
	Source:      "https://github.com/bitnami-labs/sealed-secrets/issues/1336",
	Check:       checkLiveSealedNotSynced,
}

func checkLiveSealedNotSynced(in Input) []finding.Finding {
	var refs []secretsv1.ObjectReference
	for _, sealed := range in.Declared.SealedSecrets {
		refs = append(refs, sealed.Ref)
	}
	return producersNotDone(refs, in.Live.SealedSecrets, "Synced")
}

// producersNotDone finds declared producers whose live status says that their
// Secret was not written, or says nothing yet.
func producersNotDone(refs []secretsv1.ObjectReference, seen Seen[declaration.ProducerState], condition string) []finding.Finding {
	if !seen.Known {
		return nil
	}
	states := map[secretName]declaration.ProducerState{}
	for _, state := range seen.Items {
		states[secretName{state.Ref.Namespace, state.Ref.Name}] = state
	}
	var out []finding.Finding
	for _, ref := range refs {
		state, exists := states[secretName{ref.Namespace, ref.Name}]
		f := finding.Finding{Object: ref, Path: "/status/conditions"}
		switch {
		case !exists:
			f.Severity, f.Path = secretsv1.SeverityUnknown, ""
			f.Message = "is not in the cluster yet, so nothing was delivered"
		case state.Stale || !state.Done.Present:
			f.Severity = secretsv1.SeverityUnknown
			f.Message = fmt.Sprintf("%s is not judged for the present generation yet; it writes Secret %s", condition, state.Secret)
		case state.Done.True():
			continue
		default:
			f.Message = fmt.Sprintf("%s is %s %s: Secret %s is not delivered", condition, state.Done.Status, state.Done.Reason, state.Secret)
		}
		out = append(out, f)
	}
	return out
}
