// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package rule

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
	"github.com/holdfast-gitops/holdfast/secrets-controller/finding"
)

var pushsecretStoreMove = Rule{
	ID:          "pushsecret-store-move",
	Severity:    secretsv1.SeverityError,
	Gate:        secretsv1.GateDeclaration,
	Explanation: "The PushSecret names another store: with deletionPolicy Delete the value in the old one is removed, also for those who read it there.",
	Remedy:      "Set deletionPolicy None first, and remove the old value when nobody reads it.",
	Source:      "https://github.com/external-secrets/external-secrets/issues/5062",
	Check:       checkPushsecretStoreMove,
}

func checkPushsecretStoreMove(in Input) []finding.Finding {
	var out []finding.Finding
	if in.Previous == nil {
		return nil
	}
	for _, push := range in.Declared.PushSecrets {
		for _, old := range in.Previous.PushSecrets {
			if !sameObject(push.Ref, old.Ref) || push.Deletion != "Delete" {
				continue
			}
			for i, store := range push.Stores {
				if i < len(old.Stores) && old.Stores[i].Name != store.Name {
					out = append(out, spot(push.Ref, store.At.Child("name"), "the store changes from %s to %s: the value in %s is deleted", old.Stores[i].Name, store.Name, old.Stores[i].Name))
				}
			}
		}
	}
	return out
}
