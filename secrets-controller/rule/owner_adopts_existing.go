// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var ownerAdoptsExisting = Rule{
	ID:          "owner-adopts-existing",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The Secret exists and nobody owns it. With Owner or Orphan the operator takes it over and keeps only the declared keys: all others vanish.",
	Remedy:      "Use creationPolicy Merge, declare the other keys too, or choose another target.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/2346",
	Check:       checkOwnerAdoptsExisting,
}

func checkOwnerAdoptsExisting(in Input) []finding.Finding {
	if !in.Live.Secrets.Known {
		return nil
	}
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		secret, exists := in.index.liveSecrets[secretName{es.Ref.Namespace, es.Target.Name}]
		if !exists || !clearsOthers(es.Target.Creation) || es.Target.Generic || secret.Owner.Name != "" || secret.Managed {
			return nil
		}
		declared := in.Declared.TargetKeys(es.Spec, es.Ref.Namespace)
		if !secret.KeysKnown || declared.Open != "" {
			return one(graded(spot(es.Ref, es.Target.At, "existing Secret %s is taken over; which of its keys it loses cannot be told", es.Target.Name), secretsv1.SeverityUnknown))
		}
		lost := slices.DeleteFunc(slices.Clone(secret.Keys), func(key string) bool { return slices.Contains(declared.Known, key) })
		if len(lost) == 0 {
			return nil
		}
		return one(spot(es.Ref, es.Target.At, "existing Secret %s loses %s %s: %s keeps only what is declared", es.Target.Name, plural(len(lost), "key"), listed(lost), es.Target.Creation))
	})
}

func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}
