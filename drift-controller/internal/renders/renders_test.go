// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package renders

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/holdfast-gitops/holdfast/api/contract"
	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

var web = types.NamespacedName{Namespace: "shop", Name: "web"}

func open(t *testing.T, dir string) *Cache {
	t.Helper()
	c, err := Open(dir, Options{Host: "drift-controller.holdfast-system", MaxArtifactSize: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestKeyIsKept: with another key every baseline would read as a change.
func TestKeyIsKept(t *testing.T) {
	dir := t.TempDir()
	first, again := open(t, dir), open(t, dir)
	if len(first.Key()) != 32 || !bytes.Equal(first.Key(), again.Key()) {
		t.Error("the key of a storage folder is not the same after a restart")
	}
	if bytes.Equal(first.Key(), open(t, t.TempDir()).Key()) {
		t.Error("two storage folders have one key")
	}
	info, err := os.Stat(filepath.Join(dir, "mask.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key can be read by others: %v %v", info.Mode(), err)
	}
}

// TestPathsCannotBeGuessed: who knows one application's URL knows no other.
func TestPathsCannotBeGuessed(t *testing.T) {
	c := open(t, t.TempDir())
	one, other := c.secret(web), c.secret(types.NamespacedName{Namespace: "shop", Name: "api"})
	if len(one) < 32 || one == other || strings.Contains(one, "web") || one != c.secret(web) {
		t.Errorf("%q and %q", one, other)
	}
	if one == open(t, t.TempDir()).secret(web) {
		t.Error("another controller has the same path")
	}
}

func setOf(t *testing.T, text string) desired.Set {
	t.Helper()
	objects, err := manifest.Decode("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set, err := desired.Make(desired.Input{
		Manifests: objects, Namespace: "shop", OwnNamespace: "shop", Key: []byte("k"),
		Scopes: manifest.Scopes{Namespaced: map[schema.GroupKind]bool{{Kind: "Secret"}: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestPublish: what is served is masked, says what it was made of, and is made
// once.
func TestPublish(t *testing.T) {
	dir := t.TempDir()
	c := open(t, dir)
	set := setOf(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {PW: hunter2-is-no-password}\n")
	made := &Rendered{Key: "k1"}
	req := Request{App: web, Artifact: Artifact{URL: "http://source/a", Digest: "sha256:a", Revision: "main@sha1:1"}}
	first, err := c.Publish(req, made, set)
	if err != nil {
		t.Fatal(err)
	}
	if first.Revision != "main@sha1:1" || first.SourceDigest != "sha256:a" || first.SourceURL != "http://source/a" || !strings.HasPrefix(first.URL, "http://drift-controller.holdfast-system/r/"+c.secret(web)) {
		t.Errorf("%+v", first)
	}
	if again, err := c.Publish(req, made, set); err != nil || again != first {
		t.Errorf("the same set was written again: %v %v", again, err)
	}
	req.Artifact.Digest = "sha256:b"
	if next, err := c.Publish(req, made, set); err != nil || next.SourceDigest != "sha256:b" || next.Digest != first.Digest {
		t.Errorf("another commit with the same manifests: %+v %v", next, err)
	}
	if leaked(t, dir, "hunter2") {
		t.Error("the value of a Secret is on disk")
	}
	c.Forget(web)
	if _, err := os.Stat(filepath.Join(dir, "rendered", "r", c.secret(web))); err == nil {
		t.Error("what an application served outlives it")
	}
}

// leaked looks for a word in all files, packed ones too: it is plain only where
// masking failed before packing.
func leaked(t *testing.T, dir, word string) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found = found || bytes.Contains(text, []byte(word))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestValuesWithoutAnObserver: values in the cluster are read as somebody, or
// not at all.
func TestValuesWithoutAnObserver(t *testing.T) {
	c := open(t, t.TempDir())
	spec := api.ApplicationSpec{Render: &api.Render{Helm: &api.HelmRender{ValuesFrom: []api.ValuesReference{{Kind: "Secret", Name: "v"}}}}}
	_, err := c.external(t.Context(), Request{App: web, Spec: spec, Denied: "name an account"})
	var h *halt.Error
	if !errors.As(err, &h) || h.Reason != contract.IdentityMissingReason || !strings.Contains(err.Error(), "render.helm.valuesFrom[0]") || !strings.Contains(err.Error(), "name an account") {
		t.Errorf("want the place and the reason, got %v", err)
	}
	if e, err := c.external(t.Context(), Request{App: web}); err != nil || len(e.Layers) != 0 {
		t.Errorf("without a render spec nothing is read: %v %v", e, err)
	}
}

func TestReleaseAndNotes(t *testing.T) {
	r := &Rendered{Result: render.Result{Objects: setObjects(t), Notes: []string{"a note"}}}
	if r.Released() {
		t.Error("manifests that are there count as released")
	}
	if r.Release(); !r.Released() {
		t.Error("manifests outlive their release")
	}
	if notes := r.Notes(); len(notes) != 1 || notes[0] != "a note" {
		t.Errorf("%q", notes)
	}
}

func setObjects(t *testing.T) []manifest.Object {
	t.Helper()
	objects, err := manifest.Decode("x.yaml", []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// TestLastName: the name that a values file would have for a field.
func TestLastName(t *testing.T) {
	for pointer, want := range map[string]string{
		"/spec/replicas": "replicas", "/data/DB_HOST": "DB_HOST", "": "",
		"/spec/template/spec/containers/[name=api]/env/[name=HOST]/value": "HOST",
		"/metadata/labels/a~1b": "a/b",
	} {
		if got := lastName(pointer); got != want {
			t.Errorf("%q: want %q, got %q", pointer, want, got)
		}
	}
}
