// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package accounts makes the service accounts that an Application acts as, with
// rights on exactly the kinds that it declares.
//
// In: an Application and its kinds. Out: accounts, Roles and bindings, and the
// right of the drift-controller to act as these accounts and no other. No
// wildcard is ever in it, and no right on a kind that was not given.
package accounts

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Object is any of them.
type Object interface {
	metav1.Object
	runtime.Object
}

// Kind is a resource as RBAC names it.
type Kind struct {
	Group, Resource string
	Namespaced      bool
}

// Input is whose accounts, and for which kinds.
type Input struct {
	Application *v1alpha1.Application
	Kinds       []Kind
	// Controller is where the drift-controller runs.
	Controller string
	// Listed are kinds that the observer may list beside, and nothing more, so
	// that strays are looked for in them.
	Listed []Kind
	// Written are the kinds that the writing accounts get rights on; nil is all
	// of Kinds. The others are watched only.
	Written []Kind
}

// readOnly are read beside what is declared: pods tell which of them started
// before a change, the others who made what.
var readOnly = []Kind{
	{Group: "", Resource: "pods", Namespaced: true}, {Group: "apps", Resource: "replicasets", Namespaced: true},
	{Group: "autoscaling", Resource: "horizontalpodautoscalers", Namespaced: true},
}

// Objects are the accounts with their rights, in the order to apply them.
func Objects(in Input) []Object {
	id := in.Application.Spec.Identity
	all := append(in.account(id.Observe), in.observer()...)
	if id.Apply != "" && id.Apply != id.Observe {
		verbs := []string{"get", "create", "patch"}
		all = append(append(all, in.account(id.Apply)...), in.role(id.Apply, in.rules(in.written(), verbs))...)
	}
	if id.Prune != "" && id.Prune != id.Apply && id.Prune != id.Observe {
		all = append(append(all, in.account(id.Prune)...), in.role(id.Prune, in.rules(prunable(in.written()), []string{"get", "delete"}))...)
	}
	return append(all, in.impersonation()...)
}

func (in Input) meta(name, namespace string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: namespace}
}

func (in Input) account(name string) []Object {
	return []Object{&corev1.ServiceAccount{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
		ObjectMeta: in.meta(name, in.Application.Namespace),
	}}
}

// observer may dry-run what it may read, but for kinds of RBAC, since a dry run
// of a Role needs the right to grant what is in it, and for admission policies,
// about which no policy is asked.
// The binding to the marker role makes the admission policy deny it all else.
func (in Input) observer() []Object {
	name := in.Application.Spec.Identity.Observe
	both, read := []string{"get", "list", "watch", "create", "patch"}, []string{"get", "list", "watch"}
	var dry, look []Kind
	for _, k := range in.Kinds {
		if k.Group == rbacv1.GroupName || k.Group == "admissionregistration.k8s.io" {
			look = append(look, k)
			continue
		}
		dry = append(dry, k)
	}
	for _, k := range readOnly {
		if !slices.Contains(in.Kinds, k) {
			look = append(look, k)
		}
	}
	rules := append(in.rules(dry, both), in.rules(look, read)...)
	listed := slices.DeleteFunc(slices.Clone(in.Listed), func(k Kind) bool {
		return slices.Contains(in.Kinds, k) || slices.Contains(readOnly, k)
	})
	rules = append(rules, in.rules(listed, []string{"list"})...)
	marker := &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "RoleBinding"},
		ObjectMeta: in.meta(name+"-dry-run-only", in.Application.Namespace),
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: contract.ObserverRole},
		Subjects:   in.subject(name),
	}
	return append([]Object{marker}, in.role(name, rules)...)
}

// scoped is a rule with where it holds.
type scoped struct {
	rbacv1.PolicyRule
	namespaced bool
}

// rules gathers resources of a group into one rule, in order.
func (in Input) rules(kinds []Kind, verbs []string) []scoped {
	sorted := slices.Clone(kinds)
	slices.SortFunc(sorted, func(a, b Kind) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource)) })
	var all []scoped
	for _, k := range slices.Compact(sorted) {
		at := slices.IndexFunc(all, func(s scoped) bool { return s.APIGroups[0] == k.Group && s.namespaced == k.Namespaced })
		if at < 0 {
			all = append(all, scoped{rbacv1.PolicyRule{APIGroups: []string{k.Group}, Verbs: verbs}, k.Namespaced})
			at = len(all) - 1
		}
		all[at].Resources = append(all[at].Resources, k.Resource)
	}
	return all
}

func (in Input) written() []Kind {
	if in.Written != nil {
		return in.Written
	}
	return in.Kinds
}

func prunable(kinds []Kind) []Kind {
	protected := []string{"persistentvolumeclaims", "persistentvolumes", "namespaces", "customresourcedefinitions"}
	return slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return slices.Contains(protected, k.Resource) })
}

func (in Input) subject(account string) []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: "ServiceAccount", Name: account, Namespace: in.Application.Namespace}}
}

// role gives an account its rules: in the destination, and in the cluster for
// kinds that have no namespace.
func (in Input) role(account string, rules []scoped) []Object {
	var inside, outside []rbacv1.PolicyRule
	for _, r := range rules {
		if r.namespaced {
			inside = append(inside, r.PolicyRule)
			continue
		}
		outside = append(outside, r.PolicyRule)
	}
	var all []Object
	api := rbacv1.SchemeGroupVersion.String()
	if len(inside) > 0 {
		to := in.Application.Spec.Destination.Namespace
		if to == "" {
			to = in.Application.Namespace
		}
		all = append(all,
			&rbacv1.Role{TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "Role"}, ObjectMeta: in.meta(account, to), Rules: inside},
			&rbacv1.RoleBinding{TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "RoleBinding"}, ObjectMeta: in.meta(account, to),
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: account}, Subjects: in.subject(account)})
	}
	if len(outside) > 0 {
		name := "holdfast:" + in.Application.Namespace + ":" + account
		all = append(all,
			&rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "ClusterRole"}, ObjectMeta: in.meta(name, ""), Rules: outside},
			&rbacv1.ClusterRoleBinding{TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "ClusterRoleBinding"}, ObjectMeta: in.meta(name, ""),
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}, Subjects: in.subject(account)})
	}
	return all
}

// impersonation lets the drift-controller act as these accounts, by name.
// Whoever owns the namespace takes it back by deleting it.
func (in Input) impersonation() []Object {
	id := in.Application.Spec.Identity
	var names []string
	for _, n := range []string{id.Observe, id.Apply, id.Prune} {
		if n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	name := "holdfast-acts-for-" + in.Application.Name
	api := rbacv1.SchemeGroupVersion.String()
	return []Object{
		&rbacv1.Role{
			TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "Role"}, ObjectMeta: in.meta(name, in.Application.Namespace),
			Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: names, Verbs: []string{"impersonate"}}},
		},
		&rbacv1.RoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: api, Kind: "RoleBinding"}, ObjectMeta: in.meta(name, in.Application.Namespace),
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: contract.DriftFieldManager, Namespace: in.Controller}},
		},
	}
}
