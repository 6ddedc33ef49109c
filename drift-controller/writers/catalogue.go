// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package writers

import (
	"cmp"
	"slices"
	"strings"
)

// Role is what kind of program a field manager is.
type Role string

// The roles.
const (
	// Human: a tool that a person drives.
	Human Role = "Human"
	// Deployer: a tool that deploys what a repository or pipeline declares.
	Deployer Role = "Deployer"
	// Controller: a program that owns what it writes, by design.
	Controller Role = "Controller"
	// Holdfast: the drift-controller itself.
	Holdfast Role = "Holdfast"
	// Unrecorded: a place-holder of the API server for writers it forgot.
	Unrecorded Role = "Unrecorded"
)

// Entry is one line of the catalogue.
type Entry struct {
	Name   string // exact, or a prefix that ends in *
	Role   Role
	Reason string // why it is in the catalogue
}

// Catalogue is an ordered list; the first match decides.
type Catalogue []Entry

// BuiltIn is the catalogue without any Project's additions.
func BuiltIn() Catalogue { return slices.Clone(builtIn) }

var builtIn = Catalogue{
	{"drift-controller", Holdfast, "our own field manager"},
	{"before-first-apply", Unrecorded, "the API server's name for all writers before server-side apply"},
	{"ancient-changes", Unrecorded, "the API server's name for update managers past the tenth"},

	{"kubectl", Human, "kubectl apply --server-side, and kubectl without a verb of its own"},
	{"kubectl-*", Human, "kubectl edit, patch, set, label, annotate, scale, rollout, create, replace, client-side-apply"},
	{"kubectl.exe", Human, "kubectl on Windows"},
	{"kubectl1*", Human, "kubectl installed under a versioned name"},
	{"oc", Human, "OpenShift's client"},
	{"oc-*", Human, "verbs of OpenShift's client"},
	{"k9s", Human, "terminal user interface"},
	{"k9s-*", Human, "terminal user interface"},
	{"Lens", Human, "desktop user interface"},
	{"lens*", Human, "desktop user interface"},
	{"OpenLens*", Human, "desktop user interface"},
	{"freelens*", Human, "desktop user interface"},
	{"node-fetch", Human, "user agent of Lens' Node.js client"},
	{"Mozilla", Human, "a browser through a proxy: dashboards"},
	{"dashboard*", Human, "Kubernetes Dashboard"},
	{"kubernetes-dashboard*", Human, "Kubernetes Dashboard"},
	{"headlamp*", Human, "web user interface"},
	{"octant", Human, "web user interface"},
	{"kubenav*", Human, "mobile user interface"},
	{"rancher", Human, "Rancher's user interface writes as its server"},
	{"kubesphere*", Human, "web console"},
	{"bridge", Human, "OpenShift's web console"},
	{"curl", Human, "by hand against the API"},
	{"Wget", Human, "by hand against the API"},
	{"httpie*", Human, "by hand against the API"},
	{"python-requests", Human, "a script by hand"},
	{"OpenAPI-Generator", Human, "scripts on a generated client"},
	{"Terraform", Human, "terraform apply, run by a person or a pipeline outside Git's sight"},
	{"HashiCorp", Human, "Terraform's Kubernetes provider, by its user agent"},
	{"terraform*", Human, "terraform apply"},
	{"opentofu*", Human, "tofu apply"},
	{"pulumi*", Human, "pulumi up"},
	{"k8s-ansible", Human, "an Ansible play"},
	{"holdfast", Human, "our own command line, by hand"},
	{"telepresence*", Human, "a developer's session"},
	{"okteto", Human, "a developer's session"},
	{"tilt", Human, "a developer's session"},
	{"skaffold*", Human, "a developer's session"},
	{"stern", Human, "a developer's tool"},

	{"helm", Deployer, "helm upgrade"},
	{"Helm", Deployer, "helm upgrade, older field manager"},
	{"helm.exe", Deployer, "helm upgrade on Windows"},
	{"helmfile", Deployer, "helmfile apply"},
	{"helm-controller", Deployer, "Flux"},
	{"kustomize-controller", Deployer, "Flux"},
	{"flux", Deployer, "flux bootstrap and install"},
	{"flux-*", Deployer, "Flux' own components"},
	{"fluxd", Deployer, "Flux, first generation"},
	{"helm-operator", Deployer, "Flux, first generation"},
	{"gotk-*", Deployer, "Flux, field managers of the toolkit"},
	{"argocd-controller", Deployer, "Argo CD"},
	{"argocd-application-controller", Deployer, "Argo CD"},
	{"argocd*", Deployer, "Argo CD"},
	{"argo-cd*", Deployer, "Argo CD"},
	{"kapp*", Deployer, "Carvel"},
	{"fleetagent*", Deployer, "Rancher Fleet"},
	{"fleet-agent*", Deployer, "Rancher Fleet"},
	{"kluctl*", Deployer, "Kluctl"},
	{"werf*", Deployer, "werf"},
	{"spinnaker*", Deployer, "Spinnaker"},
	{"clouddriver*", Deployer, "Spinnaker"},
	{"gitlab-agent*", Deployer, "GitLab"},
	{"agentk", Deployer, "GitLab"},
	{"jenkins*", Deployer, "a pipeline"},
	{"octopus*", Deployer, "Octopus Deploy"},
	{"configsync*", Deployer, "Config Sync"},
	{"configmanagement*", Deployer, "Config Sync"},
	{"razee*", Deployer, "Razee"},
	{"Go-http-client", Deployer, "a pipeline's own program on Go's plain client"},
}

// With puts a Project's names before the built-in ones, so that they win. Of
// these the name that says more decides, and of one name in two lists the role
// that hides least.
func (c Catalogue) With(humans, deployers, controllers []string) Catalogue {
	var own Catalogue
	for _, list := range []struct {
		role  Role
		names []string
	}{{Human, humans}, {Deployer, deployers}, {Controller, controllers}} {
		for _, name := range list.names {
			own = append(own, Entry{Name: name, Role: list.role, Reason: "named by the Project"})
		}
	}
	slices.SortStableFunc(own, func(a, b Entry) int { return bySpecificity(a.Name, b.Name) })
	return append(own, c...)
}

// bySpecificity puts whole names before prefixes, and longer prefixes before
// shorter ones.
func bySpecificity(a, b string) int {
	open := func(name string) int {
		if strings.HasSuffix(name, "*") {
			return 1
		}
		return 0
	}
	return cmp.Or(open(a)-open(b), len(b)-len(a), strings.Compare(a, b))
}

// ownKinds are the kinds that deployers are configured by. What their programs
// keep there beside the spec is theirs as it is any controller's, and their
// command is in a person's hand: flux suspend, argocd app set.
var ownKinds = []struct {
	group    string // or what it ends in
	programs []string
	commands []string
}{
	{"toolkit.fluxcd.io", []string{"kustomize-controller", "helm-controller", "flux-*", "gotk-*"}, []string{"flux"}},
	{"fluxcd.controlplane.io", []string{"flux-*"}, []string{"flux"}},
	{"argoproj.io", []string{"argocd*", "argo-cd*"}, []string{"argocd", "argocd-server"}},
	{"kappctrl.k14s.io", []string{"kapp*"}, []string{"kapp"}},
	{"fleet.cattle.io", []string{"fleet*"}, []string{"fleet"}},
	{"gitops.kluctl.io", []string{"kluctl*"}, []string{"kluctl"}},
}

// RoleOn gives the role of a manager that updated an object of a group, in its
// spec or elsewhere. An apply deploys, whatever it is of.
func (c Catalogue) RoleOn(group, manager string, spec bool) Role {
	role := c.RoleOf(manager)
	if role != Deployer {
		return role
	}
	for _, own := range ownKinds {
		if group != own.group && !strings.HasSuffix(group, "."+own.group) {
			continue
		}
		if slices.Contains(own.commands, manager) {
			return Human
		}
		if !spec && slices.ContainsFunc(own.programs, func(name string) bool { return matches(name, manager) }) {
			return Controller
		}
	}
	return role
}

// RoleOf gives the role of a manager; a name in no list is a controller, an
// empty one is unrecorded.
func (c Catalogue) RoleOf(manager string) Role {
	if manager == "" {
		return Unrecorded
	}
	for _, entry := range c {
		if matches(entry.Name, manager) {
			return entry.Role
		}
	}
	return Controller
}

func matches(pattern, name string) bool {
	if prefix, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}
