// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// PushSecret writes a Secret of the cluster into stores.
type PushSecret struct {
	Ref      secretsv1.ObjectReference
	Deletion string
	// Stores by name; those that a selector finds are not listed.
	Stores []StoreReference
}

func readPushSecret(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	out := PushSecret{Ref: object.Ref, Deletion: spec.get("deletionPolicy").textOr("None")}
	for _, store := range spec.get("secretStoreRefs").items() {
		if ref := readStoreReference(store); ref.Name != "" {
			out.Stores = append(out.Stores, ref)
		}
	}
	s.PushSecrets = append(s.PushSecrets, out)
	name := spec.get("selector", "secret", "name")
	s.refer(Reference{
		By: object.Ref, Use: UseField, Namespace: object.Ref.Namespace, Secret: name.text(), SecretAt: name.at,
	})
}
