// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

func TestApplyDirOrdersAndWaits(t *testing.T) {
	c := Get(t)
	if err := c.ApplyDir(t.Context(), "testdata/plain", "tests"); err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(c.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	notes := schema.GroupVersionResource{Group: "testing.holdfast.dev", Version: "v1", Resource: "notes"}
	note, err := client.Resource(notes).Namespace("notes").Get(t.Context(), "first", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	type owner struct {
		Manager   string
		Operation metav1.ManagedFieldsOperationType
	}
	var got []owner
	for _, entry := range note.GetManagedFields() {
		got = append(got, owner{entry.Manager, entry.Operation})
	}
	if diff := cmp.Diff([]owner{{"tests", metav1.ManagedFieldsOperationApply}}, got); diff != "" {
		t.Errorf("owners of the note (-want +got):\n%s", diff)
	}
}

func TestApplyDirBuildsAKustomization(t *testing.T) {
	c := Get(t)
	if err := c.ApplyDir(t.Context(), "testdata/kustomized", "tests"); err != nil {
		t.Fatal(err)
	}
	// Its prefix shows that Kustomize ran; an object without a namespace goes
	// to "default".
	if _, err := adminOf(t, c).CoreV1().ConfigMaps("default").Get(t.Context(), "built-settings", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

func TestNothingToApplyIsAnError(t *testing.T) {
	if _, err := loadDir(t.TempDir()); !errors.Is(err, ErrNoObjects) {
		t.Errorf("an empty folder: %v, want %v", err, ErrNoObjects)
	}
	if _, err := loadDir(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v, want %v", err, os.ErrNotExist)
	}
}

func TestWholeNumbersStayWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.yaml")
	content := "apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec: {big: 9007199254740993}\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	objects, err := loadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The number is the first that a float64 cannot hold.
	big, _, err := unstructured.NestedInt64(objects[0].Object, "spec", "big")
	if err != nil || big != 9007199254740993 {
		t.Errorf("%d, %v; want 9007199254740993", big, err)
	}
}

func TestManifestsAreReadWhole(t *testing.T) {
	files := map[string]struct {
		content string
		objects int
		fails   bool
		reason  string
	}{
		"several":      {content: "apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\napiVersion: v1\nkind: B\nmetadata: {name: b}\n", objects: 2, reason: "a stream has documents"},
		"only comment": {content: "# nothing\n---\n", objects: 0, reason: "an empty document is no object"},
		"no name":      {content: "apiVersion: v1\nkind: A\n", fails: true, reason: "it could not be applied"},
		"no kind":      {content: "apiVersion: v1\nmetadata: {name: a}\n", fails: true, reason: "it could not be applied"},
		"broken":       {content: "a: [\n", fails: true, reason: "what can't be read is not skipped"},
	}
	for name, file := range files {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file.yaml")
			if err := os.WriteFile(path, []byte(file.content), 0o600); err != nil {
				t.Fatal(err)
			}
			objects, err := loadFile(path)
			if (err != nil) != file.fails || len(objects) != file.objects {
				t.Errorf("%d objects, error %v; want %d, error %t: %s", len(objects), err, file.objects, file.fails, file.reason)
			}
		})
	}
}
