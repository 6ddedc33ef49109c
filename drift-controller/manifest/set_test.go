// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

func decode(t *testing.T, file, in string) []manifest.Object {
	t.Helper()
	objects, err := manifest.Decode(file, []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func TestNewSetOrdersByIdentity(t *testing.T) {
	objects := decode(t, "x.yaml", `
{apiVersion: v1, kind: Service, metadata: {name: a, namespace: web}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: web}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: web}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: web}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: web}}
`)
	set, err := manifest.NewSet(objects)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, object := range set.Objects() {
		got = append(got, object.ID().String())
	}
	want := []string{"Namespace web", "ConfigMap web/a", "ConfigMap web/b", "Service web/a", "Deployment.apps web/a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if object, found := set.Get(manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "web", Name: "a"}); !found || object.Source.Line != 4 {
		t.Errorf("want the Deployment of line 4, got %v %v", object.Source, found)
	}
}

func TestNewSetRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		kind   error
		says   []string
	}{
		"SameTwice":       {"both places are named", head + "---\n" + head, manifest.ErrDuplicateObject, []string{"x.yaml:5", "x.yaml:1", "ConfigMap team/a"}},
		"TwoVersions":     {"one object under two versions", "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: a}}\n---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}}", manifest.ErrDuplicateObject, []string{"x.yaml:3", "x.yaml:1"}},
		"NameByTheServer": {"no identity to compare", "{apiVersion: batch/v1, kind: Job, metadata: {generateName: a-}}", manifest.ErrNotObject, []string{"x.yaml:1"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := manifest.NewSet(decode(t, "x.yaml", tc.in))
			if !errors.Is(err, tc.kind) {
				t.Fatalf("%s: want %q, got %v", tc.reason, tc.kind, err)
			}
			for _, part := range tc.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: want %q in %v", tc.reason, part, err)
				}
			}
		})
	}
}

func TestScopes(t *testing.T) {
	objects := decode(t, "crds.yaml", `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec: {group: example.com, scope: Cluster, names: {kind: Widget}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: parts.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Part}}
`)
	widget := schema.GroupKind{Group: "example.com", Kind: "Widget"}
	part := schema.GroupKind{Group: "example.com", Kind: "Part"}
	server := manifest.Scopes{Namespaced: map[schema.GroupKind]bool{part: false}, Incomplete: []string{"metrics.k8s.io/v1beta1"}}
	want := manifest.Scopes{
		Namespaced: map[schema.GroupKind]bool{widget: false, part: false},
		Incomplete: []string{"metrics.k8s.io/v1beta1"},
	}
	if diff := cmp.Diff(want, server.With(manifest.ScopesFrom(objects))); diff != "" {
		t.Errorf("the server's answer goes before a CRD that is not applied (-want +got):\n%s", diff)
	}
	if _, known := want.Of(schema.GroupKind{Kind: "Gadget"}); known {
		t.Error("a kind that is not listed must not be known")
	}
}

func TestWithoutNulls(t *testing.T) {
	in := map[string]any{"a": nil, "b": map[string]any{"c": nil, "d": int64(1)}, "e": []any{nil, map[string]any{"f": nil}}}
	want := map[string]any{"b": map[string]any{"d": int64(1)}, "e": []any{nil, map[string]any{}}}
	if diff := cmp.Diff(want, manifest.WithoutNulls(in)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
