// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/declaration"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var createdOnceRestore = Rule{
	ID:          "created-once-restore",
	Severity:    secretsv1.SeverityWarning,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "CreatedOnce with a generator is remembered in the status of the ExternalSecret only: a rebuilt namespace, or a hand edit of the Secret, gets new values.",
	Remedy:      "Push the value to a store with a PushSecret, or keep a backup.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/6640",
	Check:       checkCreatedOnceRestore,
}

func checkCreatedOnceRestore(in Input) []finding.Finding {
	return in.eachES(func(es declaration.ExternalSecret) []finding.Finding {
		if es.RefreshPolicy != "CreatedOnce" || in.pushed(es) {
			return nil
		}
		for _, item := range es.DataFrom {
			if item.Source.Generator != nil {
				return one(spot(es.Ref, item.At, "the value is generated once and kept nowhere else: a rebuilt namespace gets another one"))
			}
		}
		return nil
	})
}

// pushed says whether a PushSecret keeps the target in a store.
func (in Input) pushed(es declaration.ExternalSecret) bool {
	return slices.ContainsFunc(in.index.consumers[secretName{es.Ref.Namespace, es.Target.Name}], func(ref declaration.Reference) bool { return ref.By.Kind == "PushSecret" })
}
