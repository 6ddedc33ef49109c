// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

func TestChoiceOfRenderer(t *testing.T) {
	kustomization := "namePrefix: k-\nresources: [a.yaml]\n"
	cases := map[string]struct {
		reason string
		files  map[string]string
		kind   render.Kind
		want   render.Kind
		names  []string
	}{
		"Plain":         {"nothing but manifests", map[string]string{"d/a.yaml": object, "d/e/b.yaml": objectB}, render.Detect, render.Plain, []string{"ConfigMap a", "ConfigMap b"}},
		"Kustomization": {"the file without an ending", map[string]string{"d/a.yaml": object, "d/Kustomization": kustomization}, render.Detect, render.Kustomize, []string{"ConfigMap k-a"}},
		"Chart":         {"a chart goes before a kustomization", map[string]string{"d/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "d/templates/b.yaml": objectB, "d/kustomization.yaml": kustomization}, render.Detect, render.Helm, []string{"ConfigMap b"}},
		"Below":         {"a kustomization further down stands for its folder, as for Flux", map[string]string{"d/b.yaml": objectB, "d/e/a.yaml": object, "d/e/kustomization.yml": kustomization, "d/e/unused.yaml": "image: x\n"}, render.Detect, render.Plain, []string{"ConfigMap b", "ConfigMap k-a"}},
		"PlainByWish":   {"a wish goes before what is found", map[string]string{"d/a.yaml": object, "d/kustomization.yaml": kustomization}, render.Plain, render.Plain, []string{"ConfigMap a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := render.Render(context.Background(), written(t, tc.files), "d", render.Options{Kind: tc.kind})
			if err != nil {
				t.Fatal(err)
			}
			if result.Kind != tc.want {
				t.Errorf("%s: want %s, got %s", tc.reason, tc.want, result.Kind)
			}
			if diff := cmp.Diff(tc.names, identities(result.Objects)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	for kind, want := range map[render.Kind]error{render.Helm: tree.ErrMissing, render.Kustomize: tree.ErrMissing, "jsonnet": nil} {
		_, err := render.Render(context.Background(), written(t, map[string]string{"d/a.yaml": object}), "d", render.Options{Kind: kind})
		wantHalt(t, err, halt.Stalled, contract.BuildFailedReason)
		if want != nil && !errors.Is(err, want) {
			t.Errorf("%s on a plain folder: want %v, got %v", kind, want, err)
		}
	}
}

// Values may come from a second source, which is watched as the first is.
func TestValuesOfASecondSource(t *testing.T) {
	chart := map[string]string{
		"svc/Chart.yaml":       "apiVersion: v2\nname: users\nversion: 1.0.0\n",
		"svc/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {host: {{ .Values.host }}}\n",
	}
	values := map[string]string{"prod/values.yaml": "host: db\n"}
	options := render.Options{Helm: render.HelmOptions{ValuesFiles: []string{"prod/values.yaml"}, ValuesFS: written(t, values)}}
	result, err := render.Render(context.Background(), written(t, chart), "svc", options)
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := unstructured.NestedString(result.Objects[0].Object, "data", "host"); got != "db" {
		t.Errorf("want the value of the second source, got %q", got)
	}
	if !result.Fresh(written(t, chart), written(t, values)) {
		t.Error("nothing changed in either source")
	}
	if result.Fresh(written(t, chart), written(t, map[string]string{"prod/values.yaml": "host: other\n"})) {
		t.Error("a change of the values counts")
	}
	if result.Fresh(written(t, chart), nil) {
		t.Error("without the second source nothing is proven")
	}
}
