// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/live"
)

func TestStateOf(t *testing.T) {
	make := func(generation int64, change func(*unstructured.Unstructured)) string {
		o := object()
		o.SetUID("u")
		o.SetResourceVersion("1")
		o.SetGeneration(generation)
		o.SetAnnotations(map[string]string{"a": "b"})
		change(o)
		return live.StateOf(o)
	}
	same := func(*unstructured.Unstructured) {}
	version := func(o *unstructured.Unstructured) { o.SetResourceVersion("2") }
	cases := map[string]struct {
		reason     string
		generation int64
		change     func(*unstructured.Unstructured)
		same       bool
	}{
		"status moved":  {"the generation counts what matters", 3, version, true},
		"no generation": {"then only the resourceVersion can tell", 0, version, false},
		"recreated":     {"another object under the same name", 3, func(o *unstructured.Unstructured) { o.SetUID("v") }, false},
		"spec":          {"it was edited", 3, func(o *unstructured.Unstructured) { o.SetGeneration(4) }, false},
		"label":         {"metadata is not counted by the generation", 3, func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"x": "y"}) }, false},
		"annotation":    {"nor are annotations", 3, func(o *unstructured.Unstructured) { o.SetAnnotations(nil) }, false},
		"finalizer":     {"it is about to go", 3, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"f"}) }, false},
		"kubectl's memory": {"it repeats the object", 3, func(o *unstructured.Unstructured) {
			o.SetAnnotations(map[string]string{"a": "b", "kubectl.kubernetes.io/last-applied-configuration": "{}"})
		}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := make(tc.generation, same) == make(tc.generation, tc.change); got != tc.same {
				t.Errorf("%s: same is %t, want %t", tc.reason, got, tc.same)
			}
		})
	}
	if live.StateOf(nil) != "" {
		t.Error("what is not there has no state")
	}
}
