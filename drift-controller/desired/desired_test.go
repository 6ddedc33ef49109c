// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package desired_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
)

var scopes = manifest.Scopes{Namespaced: map[schema.GroupKind]bool{
	{Kind: "ConfigMap"}: true, {Kind: "Secret"}: true, {Group: "apps", Kind: "Deployment"}: true, {Kind: "Namespace"}: false,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}: false, {Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: false,
}}

func decode(t *testing.T, text string) []manifest.Object {
	t.Helper()
	objects, err := manifest.Decode("app.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func input(t *testing.T, text string) desired.Input {
	t.Helper()
	return desired.Input{Manifests: decode(t, text), Scopes: scopes, Namespace: "shop", OwnNamespace: "shop", Key: mask.Key("k")}
}

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec: {group: example.com, scope: Cluster, names: {kind: Thing, plural: things}, versions: []}
`

func TestMakePlacesObjects(t *testing.T) {
	cases := map[string]struct {
		reason     string
		text       string
		want       []string
		namespaces []string
	}{
		"fills":          {"an object without a namespace lives in the destination", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", []string{"ConfigMap shop/a"}, []string{"shop"}},
		"keeps":          {"one that names a namespace stays there", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: other}\n", []string{"ConfigMap other/a"}, []string{"other"}},
		"cluster-scoped": {"a namespace on a cluster-scoped object means nothing", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, namespace: other}\n", []string{"Namespace a"}, nil},
		"own definition": {
			"a definition of the same set says where its objects live",
			"apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n---" + crd,
			[]string{"CustomResourceDefinition.apiextensions.k8s.io things.example.com", "Thing.example.com a"}, nil,
		},
		"unknown kind": {
			"most kinds are namespaced, and the object is marked", "apiVersion: example.com/v1\nkind: Other\nmetadata: {name: a}\n",
			[]string{"Other.example.com shop/a unknown kind"}, []string{"shop"},
		},
		"ordered": {
			"by namespace, group, kind and name, whatever the order of the files",
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n",
			[]string{"ConfigMap b/a", "ConfigMap shop/b", "Deployment.apps shop/a"}, []string{"b", "shop"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := input(t, tc.text)
			in.Scopes.Incomplete = []string{"metrics.k8s.io does not answer"}
			set, err := desired.Make(in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range set.Objects {
				line := o.ID().String()
				if o.UnknownKind {
					line += " unknown kind"
				}
				got = append(got, line)
				if !set.Declares(o.ID()) || o.Digest == "" {
					t.Errorf("%s: declared %t, digest %q", o.ID(), set.Declares(o.ID()), o.Digest)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.namespaces, set.Namespaces); diff != "" {
				t.Errorf("namespaces (-want +got):\n%s", diff)
			}
			if len(set.Incomplete) != 1 {
				t.Errorf("what discovery could not tell has to reach the set: %v", set.Incomplete)
			}
			if set.Declares(manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "nobody"}) {
				t.Error("the set declares what it does not have")
			}
			if slices.ContainsFunc(in.Manifests, func(m manifest.Object) bool { return m.GetNamespace() == "shop" }) {
				t.Error("the manifests themselves were changed")
			}
		})
	}
}

// TestMakeTellsDuplicates: two files that become one object after the
// namespace is filled in are the author's mistake, and both places are named.
func TestMakeTellsDuplicates(t *testing.T) {
	_, err := desired.Make(input(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n"))
	var told *manifest.Error
	if !errors.As(err, &told) || !errors.Is(told.Kind, manifest.ErrDuplicateObject) {
		t.Fatalf("want a duplicate object, got %v", err)
	}
	if !strings.Contains(err.Error(), "app.yaml:1") || !strings.Contains(err.Error(), "app.yaml:5") {
		t.Errorf("want both places, got %v", err)
	}
}

func TestRefusals(t *testing.T) {
	project := func(spec api.ProjectSpec) *api.Project {
		spec.ApplicationNamespaces = []string{"*"}
		return &api.Project{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: spec}
	}
	destinations := []api.ProjectDestination{{Namespace: "shop-*"}, {Namespace: "shop"}}
	any1 := []api.KindSelector{{Group: "*", Kind: "*"}}
	configMap, namespace := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop-a}\n"
	elsewhere := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: kube-system}\n"
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
	cases := map[string]struct {
		reason  string
		project *api.Project
		own     string
		text    string
		refused string // words that the refusal must have; empty: permitted
	}{
		"default, own namespace":   {"without a Project an Application has its own namespace", nil, "shop", configMap, ""},
		"default, other namespace": {"and no other", nil, "shop", elsewhere, "own namespace shop only"},
		"default, cluster-scoped":  {"and nothing of the cluster", nil, "shop", namespace, "cluster-scoped"},
		"default, no namespace":    {"whoever has no namespace of his own may not have the cluster for it", nil, "", namespace, "cluster-scoped"},
		"destination":              {"a listed namespace", project(api.ProjectSpec{Destinations: destinations}), "shop", configMap, ""},
		"destination by star":      {"a namespace by its beginning", project(api.ProjectSpec{Destinations: destinations}), "shop", strings.Replace(elsewhere, "kube-system", "shop-eu", 1), ""},
		"no destination":           {"an empty list permits nothing", project(api.ProjectSpec{}), "shop", configMap, "destinations"},
		"other destination":        {"a namespace that is not listed", project(api.ProjectSpec{Destinations: destinations}), "shop", elsewhere, "namespace kube-system in destinations"},
		"cluster-scoped":           {"none by default", project(api.ProjectSpec{Destinations: destinations}), "shop", namespace, "clusterResources"},
		"cluster-scoped, listed":   {"by kind and name", project(api.ProjectSpec{ClusterResources: []api.KindSelector{{Kind: "Namespace", Name: "shop-*"}}}), "shop", namespace, ""},
		"cluster-scoped, name":     {"another name", project(api.ProjectSpec{ClusterResources: []api.KindSelector{{Kind: "Namespace", Name: "prod-*"}}}), "shop", namespace, "clusterResources"},
		"cluster-scoped, group":    {"another group is another kind", project(api.ProjectSpec{ClusterResources: []api.KindSelector{{Group: "example.com", Kind: "Namespace"}}}), "shop", namespace, "clusterResources"},
		"cluster-scoped, any":      {"a star is any", project(api.ProjectSpec{ClusterResources: any1}), "shop", namespace, ""},
		"denied":                   {"a denied kind", project(api.ProjectSpec{Destinations: destinations, NamespaceResources: api.NamespaceResources{Deny: []api.KindSelector{{Kind: "Secret"}}}}), "shop", secret, "deny"},
		"not denied":               {"any other kind", project(api.ProjectSpec{Destinations: destinations, NamespaceResources: api.NamespaceResources{Deny: []api.KindSelector{{Kind: "Secret"}}}}), "shop", configMap, ""},
		"not allowed":              {"an allow list is complete", project(api.ProjectSpec{Destinations: destinations, NamespaceResources: api.NamespaceResources{Allow: []api.KindSelector{{Kind: "ConfigMap"}}}}), "shop", secret, "allow"},
		"allowed and denied":       {"deny wins", project(api.ProjectSpec{Destinations: destinations, NamespaceResources: api.NamespaceResources{Allow: any1, Deny: any1}}), "shop", configMap, "deny"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := input(t, tc.text)
			in.Project, in.OwnNamespace = tc.project, tc.own
			set, err := desired.Make(in)
			if err != nil {
				t.Fatal(err)
			}
			got := set.Objects[0].Refusal
			if (got == "") != (tc.refused == "") || !strings.Contains(got, tc.refused) {
				t.Errorf("%s: want a refusal with %q, got %q", tc.reason, tc.refused, got)
			}
			if !set.Declares(set.Objects[0].ID()) {
				t.Error("what is refused is reported, not hidden")
			}
		})
	}
}

func TestCompactKeepsTheObjects(t *testing.T) {
	set, err := desired.Make(input(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 9007199254740993, x: 1.5, none: null}\n"))
	if err != nil {
		t.Fatal(err)
	}
	small, err := set.Compact()
	if err != nil {
		t.Fatal(err)
	}
	want, got := set.Objects[0], small.Objects[0]
	full, err := got.Full()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Object.Object, full.Object); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	if got.ID() != want.ID() || got.Digest != want.Digest || got.GroupVersionKind() != want.GroupVersionKind() || full.Source != want.Source {
		t.Errorf("want %v, got %v", want, got)
	}
	if !small.Declares(want.ID()) {
		t.Error("the small set declares the same")
	}
}

func TestMatches(t *testing.T) {
	cases := map[string]struct {
		pattern string
		yes, no []string
	}{
		"whole":         {"api", []string{"api"}, []string{"api-v2", "my-api", ""}},
		"beginning":     {"api*", []string{"api", "api-v2"}, []string{"my-api"}},
		"end":           {"*api", []string{"api", "my-api"}, []string{"api-v2"}},
		"middle":        {"*api*", []string{"api", "my-api-v2"}, []string{"ap"}},
		"any":           {"*", []string{"", "x"}, nil},
		"inner star":    {"a*b", []string{"a*b"}, []string{"ab", "axb"}},
		"empty pattern": {"", []string{""}, []string{"x"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, text := range tc.yes {
				if !desired.Matches(tc.pattern, text) {
					t.Errorf("%q must match %q", tc.pattern, text)
				}
			}
			for _, text := range tc.no {
				if desired.Matches(tc.pattern, text) {
					t.Errorf("%q must not match %q", tc.pattern, text)
				}
			}
		})
	}
}
