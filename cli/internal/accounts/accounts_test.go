// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestObjects(t *testing.T) {
	kinds := []Kind{
		{Group: "apps", Resource: "deployments", Namespaced: true}, {Group: "", Resource: "configmaps", Namespaced: true},
		{Group: "", Resource: "persistentvolumeclaims", Namespaced: true}, {Group: "rbac.authorization.k8s.io", Resource: "roles", Namespaced: true},
		{Group: "", Resource: "namespaces"}, {Group: "", Resource: "configmaps", Namespaced: true},
	}
	for name, id := range map[string]v1alpha1.Identity{
		"observe": {Observe: "web-observer"},
		"prune":   {Observe: "web-observer", Apply: "web-deployer", Prune: "web-pruner"},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "team"}}
			app.Spec.Identity, app.Spec.Destination.Namespace = id, "web-prod"
			var text strings.Builder
			for _, o := range Objects(Input{Application: app, Kinds: kinds, Controller: "holdfast-system"}) {
				raw, err := yaml.Marshal(o)
				if err != nil {
					t.Fatal(err)
				}
				text.WriteString("---\n" + string(raw))
			}
			if strings.Contains(text.String(), "'*'") {
				t.Error("a wildcard is in it")
			}
			file := "testdata/" + name + ".yaml"
			if *update {
				if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}
