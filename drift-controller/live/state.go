// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// StateOf names the content of an object but for its status, as long as it is
// the same object: who judged one state must not write to another. Kinds that
// count no generation have no better name for their content than the
// resourceVersion.
func StateOf(o *unstructured.Unstructured) string {
	if o == nil {
		return ""
	}
	annotations := maps.Clone(o.GetAnnotations())
	delete(annotations, lastApplied)
	parts := []any{
		string(o.GetUID()), o.GetGeneration(), o.GetLabels(), annotations,
		o.GetOwnerReferences(), o.GetFinalizers(), o.GetDeletionTimestamp() != nil,
	}
	if o.GetGeneration() == 0 {
		parts = append(parts, o.GetResourceVersion())
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return o.GetResourceVersion() // plain values always encode; this names it too
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// lastApplied says nothing that the object does not say, and of a Secret its
// values.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
