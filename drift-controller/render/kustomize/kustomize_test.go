// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package kustomize_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/kustomize"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n"

func render(files map[string]string, dir string) ([]manifest.Object, error) {
	fsys := fstest.MapFS{}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	ctx := context.Background()
	return kustomize.Render(ctx, tree.New(fsys, tree.Limits{}, ctx.Err), dir, v1alpha1.KustomizeRender{})
}

func TestRenderKeepsValues(t *testing.T) {
	objects, err := render(map[string]string{
		"app/kustomization.yaml": "resources: [a.yaml]\nconfigMapGenerator: [{name: gen, files: [dup.yaml], literals: [URL=https://example.com/x]}]\n",
		"app/a.yaml": "apiVersion: example.com/v1\nkind: Quota\nmetadata: {name: a, annotations: {at: 2027-03-25T13:37:11Z}}\n" +
			"spec: {offset: 9007199254740993, mode: \"0644\", word: yes, quoted: \"no\", ratio: 0.5}\n",
		// The data of a ConfigMap is nobody's YAML but its reader's.
		"app/dup.yaml": "k: 1\nk: 2\n",
	}, "app")
	if err != nil {
		t.Fatal(err)
	}
	var quota manifest.Object
	for _, o := range objects {
		if o.GetKind() == "Quota" {
			quota = o
		}
	}
	want := map[string]any{"offset": int64(9007199254740993), "mode": "0644", "word": "yes", "quoted": "no", "ratio": 0.5}
	if diff := cmp.Diff(want, quota.Object["spec"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"at": "2027-03-25T13:37:11Z"}, quota.GetAnnotations()); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if got := quota.Source.File; got != "app/a.yaml" {
		t.Errorf("want the file of the object, got %q", got)
	}
	if len(objects) != 2 {
		t.Errorf("want the object and the generated ConfigMap, got %d", len(objects))
	}
}

func TestOriginsAreKeptIfWished(t *testing.T) {
	objects, err := render(map[string]string{
		"app/kustomization.yaml": "resources: [a.yaml]\nbuildMetadata: [originAnnotations]\n", "app/a.yaml": object,
	}, "app")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"config.kubernetes.io/origin": "path: a.yaml\n"}, objects[0].GetAnnotations()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A schema of one build must not type the objects of the next.
func TestSchemaOfOneBuildEndsWithIt(t *testing.T) {
	patched := map[string]string{
		"app/a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: x, image: i}]}}}\n",
		"app/p.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: y, image: j}]}}}\n",
		"app/s.json": `{"definitions": {}}`,
	}
	containers := func(kustomization string) int {
		patched["app/kustomization.yaml"] = kustomization
		objects, err := render(patched, "app")
		if err != nil {
			t.Fatal(err)
		}
		template := objects[0].Object["spec"].(map[string]any)["template"].(map[string]any)
		return len(template["spec"].(map[string]any)["containers"].([]any))
	}
	const plain = "resources: [a.yaml]\npatches: [{path: p.yaml}]\n"
	if before, with, after := containers(plain), containers(plain+"openapi: {path: s.json}\n"), containers(plain); before != 2 || with != 1 || after != 2 {
		t.Errorf("want 2 merged containers, 1 without a schema, 2 again; got %d, %d, %d", before, with, after)
	}
}

func TestRenderRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		files  map[string]string
		kind   error
		says   []string
	}{
		"RemoteBase":      {"nothing is cloned", map[string]string{"app/kustomization.yaml": "resources: [\"https://github.com/example/base?ref=v1\"]"}, nil, []string{"app/kustomization.yaml", "https://github.com/example/base?ref=v1", "remote"}},
		"Password":        {"credentials are not repeated", map[string]string{"app/kustomization.yaml": "resources: [\"https://bot:s3cr3t@example.com/base\"]"}, nil, []string{"https://example.com/base"}},
		"SSHBase":         {"in no form", map[string]string{"app/kustomization.yaml": "resources: [\"git@example.com:team/base.git\"]"}, nil, []string{"remote"}},
		"GithubShort":     {"not even if a folder is called so", map[string]string{"app/kustomization.yaml": "resources: [github.com/example/base]", "app/github.com/example/base/kustomization.yaml": "namePrefix: x-"}, nil, []string{"remote"}},
		"RemoteFile":      {"nothing is downloaded", map[string]string{"app/kustomization.yaml": "configMapGenerator: [{name: a, files: [\"x=https://example.com/x\"]}]"}, nil, []string{"https://example.com/x"}},
		"RemoteInBase":    {"nor by a base", map[string]string{"app/kustomization.yaml": "resources: [../base]", "base/kustomization.yaml": "components: [\"http://example.com/c\"]"}, nil, []string{"base/kustomization.yaml", "http://example.com/c"}},
		"RemoteInPlugin":  {"nor by a plugin", map[string]string{"app/kustomization.yaml": "transformers: [t.yaml]\nresources: [a.yaml]", "app/a.yaml": object, "app/t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\npath: https://example.com/p\n"}, nil, []string{"app/t.yaml", "https://example.com/p"}},
		"InlinePlugin":    {"written in place or not", map[string]string{"app/kustomization.yaml": "generators:\n- |\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: t}\n  files: [\"https://example.com/p\"]\n"}, nil, []string{"https://example.com/p"}},
		"HelmCharts":      {"charts are not inflated", map[string]string{"app/kustomization.yaml": "helmCharts: [{name: a, repo: https://example.com}]"}, nil, []string{"helmCharts", "Application of its own"}},
		"ExecPlugin":      {"no program is run", map[string]string{"app/kustomization.yaml": "generators: [g.yaml]", "app/g.yaml": "apiVersion: example.com/v1\nkind: Gen\nmetadata: {name: g, annotations: {config.kubernetes.io/function: \"exec: {path: ./run}\"}}\n"}, nil, []string{"Gen"}},
		"Leaves":          {"a base may lie above the path, not above the repository", map[string]string{"app/kustomization.yaml": "resources: [../../../etc]"}, tree.ErrLeaves, []string{"app/kustomization.yaml", "../../../etc", "leaves"}},
		"Absolute":        {"nor may it be absolute", map[string]string{"app/kustomization.yaml": "resources: [/etc/passwd]"}, tree.ErrLeaves, []string{"/etc/passwd"}},
		"Missing":         {"the file that is missing and the one that names it", map[string]string{"app/kustomization.yaml": "resources: [gone.yaml]"}, tree.ErrMissing, []string{"app/kustomization.yaml", "gone.yaml"}},
		"MissingPatch":    {"patches too", map[string]string{"app/kustomization.yaml": "resources: [a.yaml]\npatches: [{path: gone.yaml}]", "app/a.yaml": object}, tree.ErrMissing, []string{"gone.yaml"}},
		"NoKustomization": {"a base without a kustomization", map[string]string{"app/kustomization.yaml": "resources: [../base]", "base/a.yaml": object}, nil, []string{"base"}},
		"TwiceInItself":   {"kustomize would drop the first in silence", map[string]string{"app/kustomization.yaml": "resources: [a.yaml]\nresources: [a.yaml]\n", "app/a.yaml": object}, manifest.ErrDuplicateKey, []string{"app/kustomization.yaml:2", "resources"}},
		"UnknownField":    {"a field that does not exist", map[string]string{"app/kustomization.yaml": "resource: [a.yaml]\n"}, nil, []string{"app/kustomization.yaml", "resource"}},
		"Circle":          {"a base that builds on itself", map[string]string{"app/kustomization.yaml": "resources: [../base]", "base/kustomization.yaml": "resources: [../app]"}, nil, []string{"cycle"}},
		"SameTwice":       {"two files with one object", map[string]string{"app/kustomization.yaml": "resources: [a.yaml, b.yaml]", "app/a.yaml": object, "app/b.yaml": object}, nil, []string{"ConfigMap"}},
		"BadLiteral":      {"the value of a literal is not repeated", map[string]string{"app/kustomization.yaml": "secretGenerator: [{name: a, literals: [\"s3cr3t\"]}]"}, nil, []string{"app/kustomization.yaml"}},
		"BadPatch":        {"nor is a patch", map[string]string{"app/kustomization.yaml": "resources: [a.yaml]\npatches: [{patch: \"s3cr3t\"}]", "app/a.yaml": object}, nil, []string{"app/kustomization.yaml"}},
		"TwoFiles":        {"which of the two?", map[string]string{"app/kustomization.yaml": "namePrefix: a-", "app/Kustomization": "namePrefix: b-"}, nil, []string{"multiple"}},
		"HugeBase":        {"limits hold for every file", map[string]string{"app/kustomization.yaml": "resources: [a.yaml]", "app/a.yaml": strings.Repeat("#", 11<<20)}, tree.ErrTooLarge, []string{"app/a.yaml"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := render(tc.files, "app")
			if err == nil {
				t.Fatalf("%s: want an error", tc.reason)
			}
			if tc.kind != nil && !errors.Is(err, tc.kind) {
				t.Errorf("%s: want kind %v, got %v", tc.reason, tc.kind, err)
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: want %q in %v", tc.reason, part, err)
				}
			}
			for _, part := range []string{"s3cr3t", "/artifact", "\n"} {
				if strings.Contains(err.Error(), part) {
					t.Errorf("%s: %q has no place in %v", tc.reason, part, err)
				}
			}
			t.Log(err)
		})
	}
}
