// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveImmutableIgnored = Rule{
	ID:          "live-immutable-ignored",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The target is immutable, the change is recorded as synced, and a declared key is not in the Secret: the operator passed over it.",
	Remedy:      "Choose a new target name.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/3604",
	Check:       checkLiveImmutableIgnored,
}

func checkLiveImmutableIgnored(in Input) []finding.Finding {
	return in.eachWatchedSecret(func(w watchedES, secret declaration.SecretState) []finding.Finding {
		if !w.live.Target.Immutable || !secret.KeysKnown || !w.current() {
			return nil
		}
		for _, key := range in.Declared.TargetKeys(w.live.Spec, w.live.Ref.Namespace).Known {
			if !slices.Contains(secret.Keys, key) {
				return one(graded(spot(w.live.Ref, placeOfKey(w.live.ExternalSecret, key), "key %s is not in immutable Secret %s, although the change counts as synced", key, secret.Name), secretsv1.SeverityError))
			}
		}
		return nil
	})
}
