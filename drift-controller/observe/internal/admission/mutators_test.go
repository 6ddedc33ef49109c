// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"slices"
	"testing"

	admission "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func deployment(labels map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "labels": labels},
	}}
}

func target(obj *unstructured.Unstructured) (Target, bool) {
	switch obj.GetKind() {
	case "Deployment":
		return Target{Resource: "deployments", Namespaced: true}, true
	case "Node":
		return Target{Resource: "nodes"}, true
	case "MutatingWebhookConfiguration":
		return Target{Resource: "mutatingwebhookconfigurations"}, true
	}
	return Target{}, false
}

type hook = admission.MutatingWebhook

// one webhook that matches every write, changed by the case.
func webhooks(change func(*hook)) admission.MutatingWebhookConfiguration {
	h := hook{Rules: []admission.RuleWithOperations{{
		Operations: []admission.OperationType{admission.OperationAll},
		Rule:       admission.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{"*"}},
	}}}
	change(&h)
	return admission.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Webhooks: []hook{h}}
}

func TestWebhookMatches(t *testing.T) {
	exact, equivalent := admission.Exact, admission.Equivalent
	namespaced, clustered := admission.NamespacedScope, admission.ClusterScope
	web := deployment(map[string]any{"app": "web"})
	node := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Node"}}
	config := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration"}}
	thing := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "x/v1", "kind": "Thing"}}
	selector := func(key, value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	cases := map[string]struct {
		reason string
		change func(*hook)
		obj    *unstructured.Unstructured
		want   bool
	}{
		"everything":         {"stars match", func(*hook) {}, web, true},
		"unknown kind":       {"its resource is not known", func(*hook) {}, thing, false},
		"configuration":      {"the server asks nobody about these", func(*hook) {}, config, false},
		"other group":        {"rules are by group", func(h *hook) { h.Rules[0].APIGroups = []string{""} }, web, false},
		"other resource":     {"and by resource", func(h *hook) { h.Rules[0].Resources = []string{"pods"} }, web, false},
		"subresource":        {"a scale is no write of the object", func(h *hook) { h.Rules[0].Resources = []string{"deployments/scale", "*/scale"} }, web, false},
		"all subresources":   {"with the object itself", func(h *hook) { h.Rules[0].Resources = []string{"deployments/*"} }, web, true},
		"deletion only":      {"it changes nothing", func(h *hook) { h.Rules[0].Operations = []admission.OperationType{admission.Delete, admission.Connect} }, web, false},
		"creation only":      {"it may have changed the object then", func(h *hook) { h.Rules[0].Operations = []admission.OperationType{admission.Create} }, web, true},
		"version, exact":     {"another version", func(h *hook) { h.MatchPolicy, h.Rules[0].APIVersions = &exact, []string{"v1beta1"} }, web, false},
		"version, similar":   {"the server converts", func(h *hook) { h.MatchPolicy, h.Rules[0].APIVersions = &equivalent, []string{"v1beta1"} }, web, true},
		"scope":              {"cluster only", func(h *hook) { h.Rules[0].Scope = &clustered }, web, false},
		"scope of a node":    {"cluster only", func(h *hook) { h.Rules[0].Scope = &clustered }, node, true},
		"namespaced scope":   {"a node is in none", func(h *hook) { h.Rules[0].Scope = &namespaced }, node, false},
		"namespace labels":   {"selected", func(h *hook) { h.NamespaceSelector = selector("inject", "yes") }, web, true},
		"namespace others":   {"not selected", func(h *hook) { h.NamespaceSelector = selector("inject", "no") }, web, false},
		"namespace, cluster": {"a node has no namespace to select by", func(h *hook) { h.NamespaceSelector = selector("inject", "no") }, node, true},
		"object labels":      {"selected", func(h *hook) { h.ObjectSelector = selector("app", "web") }, web, true},
		"object others":      {"not selected", func(h *hook) { h.ObjectSelector = selector("app", "other") }, web, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := New(target)
			m.AddWebhooks(webhooks(tc.change))
			got := m.Mutators(tc.obj, map[string]string{"inject": "yes"})
			if want := "MutatingWebhookConfiguration m"; slices.Contains(got, want) != tc.want {
				t.Errorf("%s: got %v, want a match: %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestPolicyNeedsABindingThatMatches(t *testing.T) {
	all := admission.NamedRuleWithOperations{RuleWithOperations: webhooks(func(*hook) {}).Webhooks[0].Rules[0]}
	pods := all
	pods.Resources = []string{"pods"}
	policy := admission.MutatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	policy.Spec.MatchConstraints = &admission.MatchResources{ResourceRules: []admission.NamedRuleWithOperations{all}}
	bind := func(name string, own *admission.MatchResources) admission.MutatingAdmissionPolicyBinding {
		b := admission.MutatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
		b.Spec.PolicyName, b.Spec.MatchResources = name, own
		return b
	}
	cases := map[string]struct {
		reason   string
		bindings []admission.MutatingAdmissionPolicyBinding
		want     bool
	}{
		"none":     {"an unbound policy does nothing", nil, false},
		"other":    {"a binding of another policy", []admission.MutatingAdmissionPolicyBinding{bind("q", nil)}, false},
		"bound":    {"to everything", []admission.MutatingAdmissionPolicyBinding{bind("p", nil)}, true},
		"narrowed": {"to another resource", []admission.MutatingAdmissionPolicyBinding{bind("p", &admission.MatchResources{ResourceRules: []admission.NamedRuleWithOperations{pods}})}, false},
		"excluded": {"by the binding", []admission.MutatingAdmissionPolicyBinding{bind("p", &admission.MatchResources{ExcludeResourceRules: []admission.NamedRuleWithOperations{all}})}, false},
		"elsewhere": {"in other namespaces", []admission.MutatingAdmissionPolicyBinding{bind("p", &admission.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
		})}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := New(target)
			m.AddPolicies([]admission.MutatingAdmissionPolicy{policy}, tc.bindings)
			if got := m.Mutators(deployment(nil), nil); (len(got) > 0) != tc.want {
				t.Errorf("%s: got %v, want a match: %t", tc.reason, got, tc.want)
			}
		})
	}
}

// TestKey follows what a configuration says, not in which order they come.
func TestKey(t *testing.T) {
	key := func(generation int64, names ...string) string {
		m := New(target)
		for _, name := range names {
			m.AddWebhooks(admission.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: generation}})
		}
		return m.Key()
	}
	if key(1, "a", "b") != key(1, "b", "a") {
		t.Error("the order changes the key")
	}
	if key(1, "a") == key(2, "a") || key(1, "a") == key(1, "a", "b") {
		t.Error("a change leaves the key as it was")
	}
}
