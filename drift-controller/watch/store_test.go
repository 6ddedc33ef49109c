// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

func object(change ...func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: "web", UID: "u1", ResourceVersion: "1", Generation: 1,
		Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"note": "x"},
		Finalizers: []string{"a"}, OwnerReferences: []metav1.OwnerReference{{Kind: "Set", Name: "s"}},
	}}
	for _, c := range change {
		c(obj)
	}
	return obj
}

// TestChangesThatAreAnnounced: a status says nothing about drift, all else may.
func TestChangesThatAreAnnounced(t *testing.T) {
	newer := func(o *metav1.PartialObjectMetadata) { o.ResourceVersion = "2" }
	cases := map[string]struct {
		reason string
		before *metav1.PartialObjectMetadata
		now    *metav1.PartialObjectMetadata
		want   []string
	}{
		"status":     {"only the version moved on", object(), object(newer), nil},
		"again":      {"a broken watch shows the same version", object(), object(), nil},
		"spec":       {"the generation counts the spec", object(), object(newer, func(o *metav1.PartialObjectMetadata) { o.Generation = 2 }), []string{"web Changed"}},
		"label":      {"metadata has no generation", object(), object(newer, func(o *metav1.PartialObjectMetadata) { o.Labels["app"] = "other" }), []string{"web Changed"}},
		"annotation": {"as a label", object(), object(newer, func(o *metav1.PartialObjectMetadata) { o.Annotations["more"] = "" }), []string{"web Changed"}},
		"last applied": {"it says what the object says", object(), object(newer, func(o *metav1.PartialObjectMetadata) {
			o.Annotations[lastApplied] = `{"stringData":{"password":"x"}}`
		}), nil},
		"owner":     {"a child is no stray", object(), object(newer, func(o *metav1.PartialObjectMetadata) { o.OwnerReferences = nil }), []string{"web Changed"}},
		"finalizer": {"it can be declared", object(), object(newer, func(o *metav1.PartialObjectMetadata) { o.Finalizers = nil }), []string{"web Changed"}},
		"deleting": {"nothing is healed from then on", object(), object(newer, func(o *metav1.PartialObjectMetadata) {
			now := metav1.Now()
			o.DeletionTimestamp = &now
		}), []string{"web Changed"}},
		"made anew": {"another object of that name", object(), object(newer, func(o *metav1.PartialObjectMetadata) { o.UID = "u2" }), []string{"web Changed"}},
		"no generation": {
			"a ConfigMap tells its content by the version only",
			object(func(o *metav1.PartialObjectMetadata) { o.Generation = 0 }),
			object(newer, func(o *metav1.PartialObjectMetadata) { o.Generation = 0 }), []string{"web Changed"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, way := range []string{"update", "relist"} {
				var got []string
				s := newStore(func(name string, kind Kind) { got = append(got, name+" "+string(kind)) })
				try(t, s.Replace([]any{tc.before}, ""))
				got = nil
				if way == "update" {
					try(t, s.Update(tc.now))
				} else {
					try(t, s.Replace([]any{tc.now}, ""))
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s, by %s (-want +got):\n%s", tc.reason, way, diff)
				}
			}
		})
	}
}

func try(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRelistTellsWhatWasMissed: while a watch was lost objects came and went.
func TestRelistTellsWhatWasMissed(t *testing.T) {
	named := func(name string) *metav1.PartialObjectMetadata {
		return object(func(o *metav1.PartialObjectMetadata) { o.Name = name })
	}
	var got []string
	s := newStore(func(name string, kind Kind) { got = append(got, name+" "+string(kind)) })
	try(t, s.Replace([]any{named("stays"), named("goes")}, ""))
	try(t, s.Replace([]any{named("stays"), named("comes")}, ""))
	try(t, s.Delete(named("comes")))
	want := []string{" Synced", "comes Added", "goes Deleted", "comes Deleted"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("announced (-want +got):\n%s", diff)
	}
	if _, there := s.get("comes"); there {
		t.Error("a deleted object is still known")
	}
}

// TestTransformedObjectsReadTheSame: the first list comes through the
// transformer, later events do not.
func TestTransformedObjectsReadTheSame(t *testing.T) {
	s := newStore(func(string, Kind) {})
	short, err := s.Transformer()(object())
	try(t, err)
	name, stamp, err := read(short)
	try(t, err)
	wantName, want, err := read(object())
	try(t, err)
	if diff := cmp.Diff(want, stamp); name != wantName || diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestStampOfFullObject: what was read in full is recognised in the watch.
func TestStampOfFullObject(t *testing.T) {
	now := metav1.Now().Rfc3339Copy()
	partial := object(func(o *metav1.PartialObjectMetadata) {
		isController := true
		o.DeletionTimestamp = &now
		o.OwnerReferences[0].UID, o.OwnerReferences[0].Controller = "u", &isController
	})
	fields, err := apiruntime.DefaultUnstructuredConverter.ToUnstructured(partial)
	try(t, err)
	if diff := cmp.Diff(StampOf(partial), StampOf(&unstructured.Unstructured{Object: fields})); diff != "" {
		t.Errorf("stamps (-metadata +full):\n%s", diff)
	}
}

// TestMemoryPerObject keeps the promise that a watched object costs little:
// the design aims at 2 KiB for all that is kept of one, the stamp is a part.
func TestMemoryPerObject(t *testing.T) {
	const objects, most = 10_000, 300
	s := newStore(func(string, Kind) {})
	before := heap()
	for i := range objects {
		try(t, s.Add(object(func(o *metav1.PartialObjectMetadata) {
			o.Name = fmt.Sprintf("deployment-with-a-usual-name-%d", i)
			o.UID = types.UID(fmt.Sprintf("6e892c28-3c73-53ac-b415-%012d", i))
			o.ResourceVersion = strconv.Itoa(1_000_000 + i)
			o.Annotations[lastApplied] = string(slices.Repeat([]byte("x"), 2000))
		})))
	}
	each := (heap() - before) / objects
	t.Logf("%d bytes an object", each)
	if each > most {
		t.Errorf("%d bytes an object, want at most %d", each, most)
	}
	runtime.KeepAlive(s)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkStamp(b *testing.B) {
	obj := object()
	for b.Loop() {
		_ = StampOf(obj)
	}
}
