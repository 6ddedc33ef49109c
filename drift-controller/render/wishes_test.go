// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/api/halt"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${REPLICAS}
  template:
    spec:
      containers:
      - name: web
        image: registry.example.com/web:${TAG:-latest}
        args: ["$${HOME}", "${TOKEN}"]
`

func TestSubstitute(t *testing.T) {
	values := &render.Variables{
		Values:  map[string]string{"REPLICAS": "3", "TOKEN": "s3cr3t-\ntoken"},
		Tainted: map[string]bool{"TOKEN": true},
	}
	result, err := render.Render(context.Background(), written(t, map[string]string{"d/a.yaml": deployment}), "d", render.Options{Substitute: values})
	if err != nil {
		t.Fatal(err)
	}
	replicas, _, _ := unstructured.NestedInt64(result.Objects[0].Object, "spec", "replicas")
	containers, _, _ := unstructured.NestedSlice(result.Objects[0].Object, "spec", "template", "spec", "containers")
	want := []any{map[string]any{
		"name": "web", "image": "registry.example.com/web:latest", "args": []any{"${HOME}", "s3cr3t-token"},
	}}
	if diff := cmp.Diff(want, containers); diff != "" || replicas != 3 {
		t.Errorf("want 3 replicas, got %d; containers (-want +got):\n%s", replicas, diff)
	}
	id := manifest.ID{Group: "apps", Kind: "Deployment", Name: "web"}
	if diff := cmp.Diff([]string{"/spec/template/spec/containers/0/args/1"}, result.Tainted(id)); diff != "" {
		t.Errorf("tainted fields (-want +got):\n%s", diff)
	}
}

func TestSubstituteRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		values map[string]string
		says   []string
	}{
		"Undefined": {"a variable without a value is an error, not nothing", object + "data: {k: \"${GONE}\"}\n", nil, []string{"d/a.yaml:1", "ConfigMap a", "GONE"}},
		"Malformed": {"an expression that never ends", object + "data: {k: \"${GONE\"}\n", nil, []string{"d/a.yaml:1", "ConfigMap a"}},
		"BadName":   {"a name that no text could use", object, map[string]string{"MY-VAR": "x"}, []string{"MY-VAR"}},
		"Injection": {"a value that breaks the text", object + "data:\n  k: ${V}\n", map[string]string{"V": "{ [ s3cr3t"}, []string{"d/a.yaml:1", "quote"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := render.Render(context.Background(), written(t, map[string]string{"d/a.yaml": tc.text}), "d",
				render.Options{Substitute: &render.Variables{Values: tc.values}})
			wantHalt(t, err, halt.Stalled, contract.BuildFailedReason)
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: want %q in %v", tc.reason, part, err)
				}
			}
			if strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("a value in an error: %v", err)
			}
		})
	}
}

func TestSubstituteSwitchedOffByMark(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}}\ndata: {k: \"${X} $$\"}\n"
	result, err := render.Render(context.Background(), written(t, map[string]string{"d/a.yaml": text}), "d", render.Options{Substitute: &render.Variables{}})
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := unstructured.NestedString(result.Objects[0].Object, "data", "k"); got != "${X} $$" {
		t.Errorf("want the text as it is, got %q", got)
	}
	if len(result.Notes) != 0 {
		t.Errorf("a mark that is honoured needs no note: %q", result.Notes)
	}
}

func TestWhatIsSetAside(t *testing.T) {
	files := map[string]string{"d/a.yaml": object + `---
apiVersion: batch/v1
kind: Job
metadata: {generateName: run-}
---
apiVersion: v1
kind: Secret
metadata: {name: db}
data: {password: "ENC[AES256_GCM,data:x]"}
sops: {mac: "ENC[AES256_GCM,data:y]"}
---
apiVersion: v1
kind: Service
metadata:
  name: web
  annotations:
    argocd.argoproj.io/sync-options: Prune=false
    argocd.argoproj.io/sync-wave: "2"
---
apiVersion: v1
kind: Service
metadata: {name: api, annotations: {argocd.argoproj.io/sync-options: Prune=false}}
`}
	result, err := render.Render(context.Background(), written(t, files), "d", render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ConfigMap a", "Service api", "Service web"}, identities(result.Objects)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	var unjudged []string
	for _, aside := range result.Unjudged {
		unjudged = append(unjudged, aside.ID.String())
	}
	if diff := cmp.Diff([]string{"Job.batch ", "Secret db"}, unjudged); diff != "" {
		t.Errorf("unjudged (-want +got):\n%s", diff)
	}
	if result.Complete() {
		t.Error("an object that was not decrypted must not look as if it were gone")
	}
	if !slices.ContainsFunc(result.Notes, func(note string) bool {
		return strings.Contains(note, "argocd.argoproj.io/sync-options") && strings.Contains(note, "and 1 more")
	}) {
		t.Errorf("a mark without effect is reported once: %q", result.Notes)
	}
}

func TestOptionsFrom(t *testing.T) {
	external := render.External{
		Layers:    []render.Layer{{Name: "Secret db, key values.yaml", Values: []byte("a: 1"), Tainted: true}},
		Variables: render.Variables{Values: map[string]string{"A": "secret", "B": "secret"}, Tainted: map[string]bool{"A": true, "B": true}},
	}
	cases := map[string]struct {
		reason string
		spec   *v1alpha1.Render
		want   render.Options
	}{
		"Nothing": {"the path decides", nil, render.Options{Namespace: "users", Helm: render.HelmOptions{ReleaseName: "app"}}},
		"Helm": {"inline values win over what the spec refers to",
			&v1alpha1.Render{Helm: &v1alpha1.HelmRender{ReleaseName: "api", ValuesFiles: []string{"p.yaml"}, Values: &v1alpha1.Values{Raw: []byte(`{"b":2}`)}}},
			render.Options{Kind: render.Helm, Namespace: "users", Helm: render.HelmOptions{
				ReleaseName: "api", ValuesFiles: []string{"p.yaml"},
				Layers: []render.Layer{external.Layers[0], {Name: "spec.render.helm.values", Values: []byte(`{"b":2}`)}},
			}}},
		"Plain": {"presence chooses", &v1alpha1.Render{Plain: &v1alpha1.PlainRender{}}, render.Options{
			Kind: render.Plain, Namespace: "users", Helm: render.HelmOptions{ReleaseName: "app"}}},
		"Substitute": {"an inline variable is in plain sight", &v1alpha1.Render{Substitute: &v1alpha1.Substitute{Values: map[string]string{"A": "x"}}}, render.Options{
			Namespace: "users", Helm: render.HelmOptions{ReleaseName: "app"},
			Substitute: &render.Variables{Values: map[string]string{"A": "x", "B": "secret"}, Tainted: map[string]bool{"B": true}}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := render.OptionsFrom(tc.spec, "app", "users", external)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	for name, tc := range map[string]struct {
		reason string
		spec   v1alpha1.Decryption
		want   string
	}{
		"another provider": {"only sops is known", v1alpha1.Decryption{Provider: "vault"}, contract.NotOfferedReason},
		"no secretRef":     {"keys of a cloud are not offered", v1alpha1.Decryption{Provider: "sops"}, contract.InvalidSpecReason},
		"no key in it": {"the Secret has none for age", v1alpha1.Decryption{
			Provider: "sops", SecretRef: &v1alpha1.SecretKeyReference{Name: "sops-age"}}, contract.BuildFailedReason},
	} {
		t.Run("Decryption/"+name, func(t *testing.T) {
			_, err := render.OptionsFrom(&v1alpha1.Render{Decryption: &tc.spec}, "app", "users", external)
			wantHalt(t, err, halt.Stalled, tc.want)
		})
	}
}
