// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"cmp"
	"slices"
	"strings"

	"github.com/holdfast-gitops/holdfast/cli/internal/accounts"
)

// declaredKind is a kind of the folder.
type declaredKind struct {
	group, kind string
	namespaced  bool
}

// synced are the kinds of the sync file.
var synced = []declaredKind{
	{"source.toolkit.fluxcd.io", "GitRepository", true}, {"drift.holdfast.dev", "Application", true}, {"drift.holdfast.dev", "Project", false},
	{"", "ServiceAccount", true}, {"rbac.authorization.k8s.io", "Role", true}, {"rbac.authorization.k8s.io", "RoleBinding", true},
	{"rbac.authorization.k8s.io", "ClusterRole", false}, {"rbac.authorization.k8s.io", "ClusterRoleBinding", false},
}

// declared are the kinds of both files, in order.
func (in Input) declared() []declaredKind {
	all := slices.Clone(synced)
	for _, u := range in.Components {
		k := declaredKind{u.GroupVersionKind().Group, u.GetKind(), u.GetNamespace() != ""}
		if !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b declaredKind) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.kind, b.kind)) })
	return all
}

// kinds as RBAC names them. The kinds are ours, so that their plurals are known
// and nobody has to be asked.
func (in Input) kinds() []accounts.Kind {
	var all []accounts.Kind
	for _, d := range in.declared() {
		all = append(all, accounts.Kind{Group: d.group, Resource: plural(d.kind), Namespaced: d.namespaced})
	}
	return all
}

func plural(kind string) string {
	word := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(word, "y"):
		return strings.TrimSuffix(word, "y") + "ies"
	case strings.HasSuffix(word, "s"):
		return word + "es"
	default:
		return word + "s"
	}
}

// powers are kinds whose writer can give itself anything. They are watched, and
// written by nobody but the administrator who runs bootstrap.
var powers = []string{"rbac.authorization.k8s.io", "admissionregistration.k8s.io", "apiextensions.k8s.io"}

// written are the kinds that the install may change by itself.
func written(kinds []accounts.Kind) []accounts.Kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k accounts.Kind) bool {
		project := k.Resource == "projects" || k.Resource == "namespaces"
		return slices.Contains(powers, k.Group) || project
	})
}
