// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package writers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// TestRoleOf names the managers that real clusters have.
func TestRoleOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		role   writers.Role
		names  []string
	}{
		"us":         {"our own manager", writers.Holdfast, []string{"drift-controller"}},
		"unrecorded": {"names that the API server makes up, and none", writers.Unrecorded, []string{"", "before-first-apply", "ancient-changes"}},
		"kubectl": {
			"a verb of kubectl is a person, apply too", writers.Human, []string{
				"kubectl", "kubectl-client-side-apply", "kubectl-last-applied", "kubectl-edit", "kubectl-patch", "kubectl-set", "kubectl-label",
				"kubectl-annotate", "kubectl-scale", "kubectl-rollout", "kubectl-create", "kubectl-replace", "kubectl-run", "kubectl-expose",
				"kubectl-autoscale", "kubectl-taint", "kubectl-debug", "kubectl.exe", "kubectl1.29", "oc", "oc-edit",
			},
		},
		"screens": {
			"user interfaces are people", writers.Human, []string{
				"k9s", "Lens", "lens-extension", "OpenLens", "freelens", "node-fetch", "Mozilla", "dashboard", "dashboard-api", "kubernetes-dashboard", "headlamp", "octant", "rancher", "bridge",
			},
		},
		"by hand": {"a plain client is a person at a prompt", writers.Human, []string{"curl", "Wget", "python-requests", "OpenAPI-Generator", "holdfast"}},
		"infrastructure code": {
			"it is applied outside Git's sight", writers.Human, []string{"Terraform", "HashiCorp", "terraform-provider-kubernetes", "opentofu", "pulumi-kubernetes", "k8s-ansible"},
		},
		"deployers": {
			"they deploy what some repository or pipeline declares", writers.Deployer, []string{
				"helm", "Helm", "helm.exe", "helm-controller", "kustomize-controller", "flux", "flux-operator", "gotk-bootstrap", "argocd-controller",
				"argocd-application-controller", "argocd-server", "kapp-controller", "fleetagent", "kluctl", "werf", "gitlab-agent", "Go-http-client",
			},
		},
		"controllers": {
			"a name in no list is a program that owns what it writes", writers.Controller, []string{
				"kube-controller-manager", "kube-scheduler", "kubelet", "cainjector", "keda", "external-secrets", "vpa-recommender", "manager", "main", "my-operator",
			},
		},
		"near names": {
			"a longer name is another name, unless the catalogue says so", writers.Controller, []string{
				"drift-controller-2", "kubectlx", "k9sy", "occasionally", "helmet", "flux2", "bridge-operator", "Kubectl", "rancher-backup",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, manager := range tc.names {
				if got := writers.BuiltIn().RoleOf(manager); got != tc.role {
					t.Errorf("%s: %q: want %s, got %s", tc.reason, manager, tc.role, got)
				}
			}
		})
	}
}

// TestCatalogueIsArgued: each line has a reason, and decides something.
func TestCatalogueIsArgued(t *testing.T) {
	catalogue := writers.BuiltIn()
	roles := []writers.Role{writers.Human, writers.Deployer, writers.Holdfast, writers.Unrecorded}
	for i, entry := range catalogue {
		if len(entry.Reason) < 4 {
			t.Errorf("%s: has no reason", entry.Name)
		}
		if !slices.Contains(roles, entry.Role) {
			t.Errorf("%s: %q is no role that needs a line", entry.Name, entry.Role)
		}
		if strings.Contains(strings.TrimSuffix(entry.Name, "*"), "*") || entry.Name == "*" || entry.Name == "" {
			t.Errorf("%q: a star stands at the end, behind a name", entry.Name)
		}
		sample := strings.TrimSuffix(entry.Name, "*")
		if strings.HasSuffix(entry.Name, "*") {
			sample += "\x00" // a name that no exact line has
		}
		if role := catalogue[:i].RoleOf(sample); role != writers.Controller {
			t.Errorf("%s: a line before it decides already, as %s", entry.Name, role)
		}
	}
	catalogue[0].Role = writers.Human
	if writers.BuiltIn().RoleOf("drift-controller") != writers.Holdfast {
		t.Error("the built-in catalogue can be changed by its readers")
	}
}

func TestWith(t *testing.T) {
	with := func(humans, deployers, controllers string) writers.Catalogue {
		return writers.BuiltIn().With(strings.Fields(humans), strings.Fields(deployers), strings.Fields(controllers))
	}
	cases := map[string]struct {
		reason    string
		catalogue writers.Catalogue
		want      map[string]writers.Role
	}{
		"nothing": {"a Project may add nothing", with("", "", ""), map[string]writers.Role{"kubectl-edit": writers.Human, "op": writers.Controller}},
		"a list each": {
			"its names get their role", with("ops-bot", "ci", "reflector"),
			map[string]writers.Role{"ops-bot": writers.Human, "ci": writers.Deployer, "reflector": writers.Controller, "helm": writers.Deployer},
		},
		"over built-in": {
			"a Project knows its own cluster better", with("", "kubectl-client-side-apply", "Go-http-client"),
			map[string]writers.Role{"kubectl-client-side-apply": writers.Deployer, "Go-http-client": writers.Controller, "kubectl-edit": writers.Human},
		},
		"prefix": {"a star takes all that begin so", with("ops-*", "", ""), map[string]writers.Role{"ops-a": writers.Human, "ops": writers.Controller}},
		"exact over prefix": {
			"the name that says more decides", with("acme-*", "acme-ci-*", "acme-ci-operator"),
			map[string]writers.Role{"acme-x": writers.Human, "acme-ci-run": writers.Deployer, "acme-ci-operator": writers.Controller},
		},
		"named twice": {
			"a name in two lists counts as the role that hides least", with("x", "x", "x"), map[string]writers.Role{"x": writers.Human},
		},
		"named twice, no person": {"and a deployer's value is drift where a controller's is explained", with("", "x", "x"), map[string]writers.Role{"x": writers.Deployer}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := map[string]writers.Role{}
			for manager := range tc.want {
				got[manager] = tc.catalogue.RoleOf(manager)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	if got, want := len(with("a b", "c", "d")), len(writers.BuiltIn())+4; got != want {
		t.Errorf("want %d lines, got %d", want, got)
	}
}

// TestRoleOn: on the kinds that it is configured by, a deployer's program is a
// controller beside the spec, and its command is a person's.
func TestRoleOn(t *testing.T) {
	cases := map[string]struct {
		reason, group, manager string
		spec                   bool
		want                   writers.Role
	}{
		"finalizer":        {"Flux puts it on each of its objects", "helm.toolkit.fluxcd.io", "helm-controller", false, writers.Controller},
		"spec":             {"a release may deploy releases", "helm.toolkit.fluxcd.io", "helm-controller", true, writers.Deployer},
		"elsewhere":        {"what it deploys is another's", "apps", "kustomize-controller", false, writers.Deployer},
		"suspended":        {"flux suspend is typed by somebody", "kustomize.toolkit.fluxcd.io", "flux", true, writers.Human},
		"installed":        {"flux install deploys its components", "apps", "flux", true, writers.Deployer},
		"in the interface": {"a person edits an Application there", "argoproj.io", "argocd-server", true, writers.Human},
		"operation":        {"a sync under way", "argoproj.io", "argocd-application-controller", false, writers.Controller},
		"another group":    {"only whole parts of a name count", "nottoolkit.fluxcd.io", "flux", true, writers.Deployer},
		"a person":         {"anywhere", "helm.toolkit.fluxcd.io", "kubectl-edit", false, writers.Human},
		"helm":             {"nobody configures Helm by objects", "helm.toolkit.fluxcd.io", "helm", false, writers.Deployer},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := writers.BuiltIn().RoleOn(tc.group, tc.manager, tc.spec); got != tc.want {
				t.Errorf("%s: want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
