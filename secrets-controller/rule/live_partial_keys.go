// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"fmt"
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var livePartialKeys = Rule{
	ID:          "live-partial-keys",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "A declared key did not arrive in the Secret although the ExternalSecret is Ready: with deletionPolicy Merge or Delete a remote value that is missing is skipped without an error.",
	Remedy:      "Create the value in the store.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3879",
	Check:       checkLivePartialKeys,
}

func checkLivePartialKeys(in Input) []finding.Finding {
	var out []finding.Finding
	for _, w := range in.watched() {
		secret, there := in.index.liveSecrets[w.target()]
		if !w.writesSecret() || !w.live.Ready.True() || !w.current() || !there {
			continue
		}
		declared := in.Declared.TargetKeys(w.live.Spec, w.live.Ref.Namespace).Known
		if len(declared) > 0 && !secret.KeysKnown {
			out = append(out, finding.Finding{
				Object:   secretsv1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: secret.Namespace, Name: secret.Name},
				Severity: secretsv1.SeverityUnknown,
				Message:  "which keys arrived cannot be told: managedFields name no key of this Secret, and values are not read",
			})
			continue
		}
		out = append(out, missingFrom(secret, w, declared)...)
	}
	return out
}

func missingFrom(secret declaration.SecretState, w watchedES, declared []string) []finding.Finding {
	var out []finding.Finding
	for _, key := range declared {
		if slices.Contains(secret.Keys, key) {
			continue
		}
		out = append(out, finding.Finding{
			Object: w.live.Ref, Path: string(placeOfKey(w.live.ExternalSecret, key)),
			Message: fmt.Sprintf("key %s did not arrive in Secret %s, although Ready is True", key, secret.Name),
		})
	}
	return out
}
