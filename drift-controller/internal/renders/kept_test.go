// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// TestKept: what a render drops can be had as it was, over a restart and over
// renders that follow; a Secret is never written down; a lost volume is said.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	object := func(kind, name, value string) manifest.Object {
		return manifest.Object{Unstructured: &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": "shop"}, "data": map[string]any{"KEY": value},
		}}}
	}
	keep := func(revision string, objects ...manifest.Object) {
		t.Helper()
		set, err := desired.Make(desired.Input{Manifests: objects, Namespace: "shop", OwnNamespace: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		if set, err = set.Compact(); err != nil {
			t.Fatal(err)
		}
		req := Request{App: web, Spec: api.ApplicationSpec{}, Artifact: Artifact{Revision: revision}}
		if err := open(t, dir).Keep(req, &Rendered{}, set); err != nil {
			t.Fatal(err)
		}
	}
	keep("one", object("ConfigMap", "a", "first"), object("ConfigMap", "b", "old"), object("Secret", "token", "czNjcjN0"))
	keep("two", object("ConfigMap", "a", "first"), object("ConfigMap", "b", "last"))
	keep("three", object("ConfigMap", "a", "first"))
	keep("four", object("ConfigMap", "a", "second"))

	got, err := open(t, dir).Kept(web, manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if value, _, _ := unstructured.NestedString(got.Object, "data", "KEY"); value != "last" {
		t.Errorf("want it as it was declared last, got %q", value)
	}
	for name, id := range map[string]manifest.ID{
		"a secret":         {Kind: "Secret", Namespace: "shop", Name: "token"},
		"still declared":   {Kind: "ConfigMap", Namespace: "shop", Name: "a"},
		"never was":        {Kind: "ConfigMap", Namespace: "shop", Name: "c"},
		"of another place": {Kind: "ConfigMap", Namespace: "other", Name: "b"},
	} {
		if _, err := open(t, dir).Kept(web, id); !errors.Is(err, ErrNotKept) {
			t.Errorf("%s: want ErrNotKept, got %v", name, err)
		}
	}
	err = filepath.Walk(filepath.Join(dir, "kept"), func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "czNjcjN0") || info.Mode().Perm() != 0o600 {
			t.Errorf("%s holds a secret, or others can read it (%v)", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	gone, err := filepath.Glob(filepath.Join(dir, "kept", "*", "gone", "*.json"))
	if err != nil || len(gone) == 0 {
		t.Fatalf("nothing is kept: %v", err)
	}
	b := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "b"}
	for damage, text := range map[string]string{"cut": `{"id":`, "of another": `{"id":{"Kind":"ConfigMap","Namespace":"shop","Name":"z"}}`} {
		for _, file := range gone {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := open(t, dir).Kept(web, b); !errors.Is(err, ErrNotKept) || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: want ErrNotKept, got %v", damage, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "kept")); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir).Kept(web, manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "b"}); !errors.Is(err, ErrNotKept) {
		t.Errorf("a lost volume: want ErrNotKept, got %v", err)
	}
}
