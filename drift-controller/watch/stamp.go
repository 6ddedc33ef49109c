// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"hash"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Stamp is what is remembered of an object.
type Stamp struct {
	UID             types.UID
	ResourceVersion string
	// Generation is 0 for kinds that do not count one.
	Generation int64
	// Meta is a hash of labels, annotations, owner references and finalizers.
	Meta     uint64
	Deleting bool
}

// lastApplied repeats the whole object, and of a Secret its values: what it
// says is in the object as well.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// StampOf reads the stamp of an object, in full or of its metadata: both give
// the same.
func StampOf(obj metav1.Object) Stamp {
	return Stamp{
		UID: obj.GetUID(), ResourceVersion: obj.GetResourceVersion(), Generation: obj.GetGeneration(),
		Meta: hashOf(obj), Deleting: obj.GetDeletionTimestamp() != nil,
	}
}

func hashOf(obj metav1.Object) uint64 {
	h := fnv.New64a()
	hashMap(h, obj.GetLabels())
	hashMap(h, obj.GetAnnotations())
	for _, o := range obj.GetOwnerReferences() {
		field(h, o.APIVersion)
		field(h, o.Kind)
		field(h, o.Name)
		field(h, string(o.UID))
		field(h, strconv.FormatBool(o.Controller != nil && *o.Controller))
	}
	field(h, "finalizers")
	for _, f := range obj.GetFinalizers() {
		field(h, f)
	}
	return h.Sum64()
}

func hashMap(h hash.Hash64, m map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if key == lastApplied {
			continue
		}
		field(h, key)
		field(h, m[key])
	}
	field(h, "end")
}

// field writes a text and its length, so that no two sequences look alike.
func field(h hash.Hash64, text string) {
	// A hash never fails to take bytes.
	_, _ = io.WriteString(h, strconv.Itoa(len(text))+":"+text)
}

// onlyStatus says whether nothing but the status can have changed between two
// stamps of one object.
func (s Stamp) onlyStatus(before Stamp) bool {
	return s.Generation > 0 && s.UID == before.UID && s.Generation == before.Generation &&
		s.Meta == before.Meta && s.Deleting == before.Deleting
}
