// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package disguise

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

func TestNameFitsEveryKind(t *testing.T) {
	const cronJob = 52
	id := manifest.ID{Kind: "ConfigMap", Namespace: "users", Name: strings.Repeat("n", 253)}
	name := Name(id)
	if len(name) > cronJob || !strings.HasPrefix(name, Prefix) || name != Name(id) {
		t.Errorf("%q is no short, recognisable and stable name", name)
	}
	id.Namespace = "other"
	if Name(id) == name {
		t.Error("objects of two namespaces share a throw-away name")
	}
}

// TestAsLeavesTheDeclarationAlone: what identifies a stored object goes, the
// declaration itself is read-only.
func TestAsLeavesTheDeclarationAlone(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{
		"name": "web", "uid": "u", "resourceVersion": "1", "generation": int64(1), "creationTimestamp": nil,
		"managedFields": []any{}, "labels": map[string]any{"a": "b"},
	}}}
	before := obj.DeepCopy()
	want := map[string]any{"metadata": map[string]any{"name": "hfdry-1", "labels": map[string]any{"a": "b"}}}
	if diff := cmp.Diff(want, As(obj, "hfdry-1").Object); diff != "" {
		t.Errorf("disguised (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before.Object, obj.Object); diff != "" {
		t.Errorf("the declaration was changed:\n%s", diff)
	}
}

// TestUndo: the server derives labels from names, and webhooks anything.
func TestUndo(t *testing.T) {
	answer := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "hfdry-1", "labels": map[string]any{"job-name": "hfdry-1", "x-hfdry-1": "y"}},
		"spec":     map[string]any{"list": []any{"a hfdry-1-sidecar", int64(3), true, nil}},
	}}
	Undo(answer, "hfdry-1", "web")
	want := map[string]any{
		"metadata": map[string]any{"name": "web", "labels": map[string]any{"job-name": "web", "x-web": "y"}},
		"spec":     map[string]any{"list": []any{"a web-sidecar", int64(3), true, nil}},
	}
	if diff := cmp.Diff(want, answer.Object); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
}
