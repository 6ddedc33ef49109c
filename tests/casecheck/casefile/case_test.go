// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFindFailsOnNothing: a run over an empty folder would pass.
func TestFindFailsOnNothing(t *testing.T) {
	for name, dir := range map[string]string{
		"empty":    folder(t, nil),
		"no cases": folder(t, map[string]string{"desired.yaml": "a: b"}),
	} {
		if _, err := Find(dir); !errors.Is(err, ErrNoCases) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Find(filepath.Join(folder(t, nil), "absent")); err == nil {
		t.Error("a folder that is not there is an error")
	}
}

func TestLoad(t *testing.T) {
	dir := folder(t, map[string]string{
		"expect.yaml": "kind: prune\ndrift: none\nplan: {prune: none, keep: [v1 ConfigMap c/a]}\n" +
			"explained: [{object: v1 Namespace c, path: /spec, class: default, have: 9007199254740993}]\n",
		"desired.yaml":         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: c}\n",
		"inventory.yaml":       "apps: {shop: [v1 ConfigMap c/a], other: []}\n",
		"app-b/x.yaml":         "",
		"input-1/x.yaml":       "",
		"release-2-shop.yaml":  "# status: failed\nkind: B\n",
		"release-10-shop.yaml": "kind: C\n",
		"release-1-shop.yaml":  "kind: A\n",
		"live-action.md": "# x\n\n```sh\nkubectl apply -f desired.yaml\nkubectl get x\n" +
			"# then the controller itself sends desired.yaml as an apply patch\n# not kubectl\n" +
			"kubectl edit configmap a -n c   # k: v\n# then the operator creates it as in live.yaml\nkubectl get y\n" +
			"# Helm deletes job/j once it has succeeded\nkubectl get z\n# something else\n```\n",
	})
	c, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c.Expect.Drift == nil || len(*c.Expect.Drift) != 0 || len(c.Expect.Plan.Keep) != 1 || c.Expect.Plan.Prune == nil {
		t.Errorf("the word none is an empty list: %+v", c.Expect)
	}
	if got := string(c.Expect.Explained[0].Have); got != "9007199254740993" {
		t.Errorf("integers are exact, got %s", got)
	}
	wantAction := Action{
		{Shell: "kubectl apply -f desired.yaml\nkubectl get x\n"}, {Apply: "desired.yaml"},
		{Edit: "kubectl edit configmap a -n c   # k: v"}, {CreateRecorded: true}, {Shell: "kubectl get y\n"},
		{Delete: "job/j"}, {Shell: "kubectl get z\n"}, {Words: "something else"},
	}
	if diff := cmp.Diff(wantAction, c.Action); diff != "" {
		t.Errorf("action (-want +got):\n%s", diff)
	}
	wantInputs := []Input{{Application: "b", Dir: "app-b"}, {Dir: "input-1", Numbered: true}}
	if diff := cmp.Diff(wantInputs, c.Inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	wantReleases := []Release{
		{Name: "shop", Revision: 1, Manifest: "kind: A\n", Status: "superseded"},
		{Name: "shop", Revision: 2, Manifest: "# status: failed\nkind: B\n", Status: "failed"},
		{Name: "shop", Revision: 10, Manifest: "kind: C\n", Status: "deployed"},
	}
	if diff := cmp.Diff(wantReleases, c.Releases); diff != "" {
		t.Errorf("releases (-want +got):\n%s", diff)
	}
	if c.Owner() != "shop" || !cmp.Equal(c.Namespaces(), []string{"c"}) {
		t.Errorf("owner %q, namespaces %q", c.Owner(), c.Namespaces())
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := map[string]map[string]string{
		"a kind that is none":        {"expect.yaml": "kind: other\n"},
		"a class that is none":       {"expect.yaml": "kind: drift\ndrift: [{object: v1 Secret c/a, class: red}]\n"},
		"an object without a name":   {"expect.yaml": "kind: drift\ndrift: [{object: Secret a, class: manual}]\n"},
		"a manifest that is broken":  {"expect.yaml": "kind: drift\ndrift: none\n", "live.yaml": "a: [\n"},
		"an inventory of other form": {"expect.yaml": "kind: drift\ndrift: none\n", "inventory.yaml": "shop: []\n"},
		"a release without revision": {"expect.yaml": "kind: drift\ndrift: none\n", "release-shop.yaml": "kind: A\n"},
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Load(folder(t, files)); err == nil {
				t.Error("it was read without a word")
			}
		})
	}
}
