// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package kinds

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func index(t *testing.T) Index {
	t.Helper()
	all := metav1.Verbs{"get", "list", "patch"}
	x, err := New([]*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "configmaps", Kind: "ConfigMap", Namespaced: true, Verbs: all},
			{Name: "namespaces", Kind: "Namespace", Verbs: all},
			{Name: "bindings", Kind: "Binding", Namespaced: true, Verbs: metav1.Verbs{"create"}},
		}},
		{GroupVersion: "autoscaling/v2", APIResources: []metav1.APIResource{
			{Name: "horizontalpodautoscalers", Kind: "HorizontalPodAutoscaler", Namespaced: true, Verbs: all},
			{Name: "horizontalpodautoscalers/status", Kind: "HorizontalPodAutoscaler", Namespaced: true, Verbs: all},
		}},
		{GroupVersion: "autoscaling/v1", APIResources: []metav1.APIResource{
			{Name: "horizontalpodautoscalers", Kind: "HorizontalPodAutoscaler", Namespaced: true, Verbs: all},
		}},
	}, map[schema.GroupVersion]error{{Group: "down.example.com", Version: "v1"}: errors.New("no answer")})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestIndex(t *testing.T) {
	x := index(t)
	hpa := schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}
	if r, ok := x.Get(hpa.WithVersion("v1")); !ok || r.Path.Resource != "horizontalpodautoscalers" || !r.Serves("patch") || r.Serves("delete") {
		t.Errorf("got %+v %t", r, ok)
	}
	if diff := cmp.Diff([]string{"v2", "v1"}, x.Versions(hpa)); diff != "" {
		t.Errorf("versions by preference (-want +got):\n%s", diff)
	}
	if _, ok := x.Get(hpa.WithVersion("v9")); ok {
		t.Error("a version that is not served is known")
	}
	if reason, down := x.Incomplete("down.example.com"); !down || reason != "down.example.com/v1: no answer" {
		t.Errorf("got %q %t", reason, down)
	}
	if _, down := x.Incomplete("autoscaling"); down {
		t.Error("a group that answers counts as incomplete")
	}
}

func TestScopes(t *testing.T) {
	s := index(t).Scopes()
	for kind, want := range map[string]bool{"ConfigMap": true, "Namespace": false} {
		if namespaced, known := s.Of(schema.GroupKind{Kind: kind}); !known || namespaced != want {
			t.Errorf("%s: namespaced %t, known %t", kind, namespaced, known)
		}
	}
	if diff := cmp.Diff([]string{"down.example.com/v1: no answer"}, s.Incomplete); diff != "" {
		t.Errorf("incomplete (-want +got):\n%s", diff)
	}
}

// TestListable: each kind once, in the preferred version, and none that cannot
// be listed or has no namespace.
func TestListable(t *testing.T) {
	var got []string
	for _, r := range index(t).Listable() {
		got = append(got, r.Path.String())
	}
	want := []string{"/v1, Resource=configmaps", "autoscaling/v2, Resource=horizontalpodautoscalers"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listable (-want +got):\n%s", diff)
	}
}

func TestAPIVersions(t *testing.T) {
	want := []string{
		"autoscaling/v1", "autoscaling/v1/HorizontalPodAutoscaler", "autoscaling/v2", "autoscaling/v2/HorizontalPodAutoscaler",
		"v1", "v1/Binding", "v1/ConfigMap", "v1/Namespace",
	}
	if diff := cmp.Diff(want, index(t).APIVersions()); diff != "" {
		t.Errorf("for charts (-want +got):\n%s", diff)
	}
}
