// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var liveWrongType = Rule{
	ID:          "live-wrong-type",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The Secret has another type than its template says: consumers that go by the type do not use it.",
	Remedy:      "Choose a new target name.",
	Source:      "https://github.com/1Password/onepassword-operator/issues/111",
	Check:       checkLiveWrongType,
}

func checkLiveWrongType(in Input) []finding.Finding {
	return in.eachWatchedSecret(func(w watchedES, secret declaration.SecretState) []finding.Finding {
		want := typeOf(w.declared.Spec)
		if want == "Opaque" || secret.Type == want {
			return nil
		}
		if secret.Type == "" {
			return one(graded(spot(w.live.Ref, "", "whether Secret %s has type %s was not read: the type is no part of the metadata, and nothing else of a Secret is read; an update that would change it fails, which Ready tells", secret.Name, want), secretsv1.SeverityInfo))
		}
		return one(spot(w.live.Ref, "", "Secret %s has type %s, and its template says %s", secret.Name, secret.Type, want))
	})
}
