// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"bytes"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// lastApplied carries a whole copy of what kubectl applied. On a Secret that
// is the secret itself, even where only metadata was requested.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Strip is the transform of every cached object. It drops what no rule reads:
// last-applied-configuration always, managedFields except for the entries of
// a Secret that name its keys.
func Strip(in any) (any, error) {
	object, ok := in.(metav1.Object)
	if !ok {
		return in, nil
	}
	if annotations := object.GetAnnotations(); annotations[lastApplied] != "" {
		delete(annotations, lastApplied)
		object.SetAnnotations(annotations)
	}
	object.SetManagedFields(keyNaming(object))
	return in, nil
}

func keyNaming(object metav1.Object) []metav1.ManagedFieldsEntry {
	partial, ok := object.(*metav1.PartialObjectMetadata)
	if !ok || partial.Kind != secrets.Kind {
		return nil
	}
	var kept []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 != nil && namesKeys(entry.FieldsV1.GetRawBytes()) {
			kept = append(kept, metav1.ManagedFieldsEntry{FieldsV1: entry.FieldsV1})
		}
	}
	return kept
}

func namesKeys(fields []byte) bool {
	return bytes.Contains(fields, []byte(`"f:data"`)) || bytes.Contains(fields, []byte(`"f:stringData"`))
}
