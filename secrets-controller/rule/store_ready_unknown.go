// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var storeReadyUnknown = Rule{
	ID:          "store-ready-unknown",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateReadiness,
	Explanation: "The store is Ready, but the operator could not verify it: the condition says ValidationUnknown. The first fetch will tell.",
	Remedy:      "Look at the events of the store and of the first ExternalSecret that uses it.",
	Source:      "https://external-secrets.io/latest/api/spec/",
	Check:       checkStoreReadyUnknown,
}

func checkStoreReadyUnknown(in Input) []finding.Finding {
	var out []finding.Finding
	for _, state := range in.Live.Stores.Items {
		if state.Ready.True() && state.Ready.Reason == "ValidationUnknown" && in.declares(state.Ref) {
			out = append(out, spot(state.Ref, "", "the store is Ready and was never verified: its reason is ValidationUnknown"))
		}
	}
	return out
}

// declares says whether the object is one of this artifact's.
func (in Input) declares(ref secretsv1.ObjectReference) bool {
	for _, store := range in.Declared.Stores {
		if store.Ref.Kind == ref.Kind && store.Ref.Namespace == ref.Namespace && store.Ref.Name == ref.Name {
			return true
		}
	}
	return false
}
