// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	admission "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

// Mutators are the mutating configurations of a cluster. The zero value has
// none.
type Mutators struct {
	matchers []matcher
	versions []string
	resource func(*unstructured.Unstructured) (Target, bool)
}

// Target is how an object is addressed: rules match resources, not kinds.
type Target struct {
	Resource   string // plural
	Namespaced bool
}

// matcher is one configuration's condition; all parts must match.
type matcher struct {
	name  string
	rules []admission.NamedRuleWithOperations
	// narrowed by the binding of a policy; empty: not narrowed.
	narrowed []admission.NamedRuleWithOperations
	excluded []admission.NamedRuleWithOperations
	exact    bool // by version, not by any version of the same resource
	// selectors of namespace and object; those of a policy and its binding
	// must both match.
	namespaces []*metav1.LabelSelector
	objects    []*metav1.LabelSelector
}

// New reads the configurations. The function finds the resource of an object.
func New(resource func(*unstructured.Unstructured) (Target, bool)) Mutators {
	return Mutators{resource: resource}
}

// AddWebhooks adds a webhook configuration.
func (m *Mutators) AddWebhooks(c admission.MutatingWebhookConfiguration) {
	m.note(&c)
	for _, hook := range c.Webhooks {
		m.matchers = append(m.matchers, matcher{
			name: "MutatingWebhookConfiguration " + c.Name, rules: named(hook.Rules),
			exact:      hook.MatchPolicy != nil && *hook.MatchPolicy == admission.Exact,
			namespaces: []*metav1.LabelSelector{hook.NamespaceSelector},
			objects:    []*metav1.LabelSelector{hook.ObjectSelector},
		})
	}
}

func named(rules []admission.RuleWithOperations) []admission.NamedRuleWithOperations {
	out := make([]admission.NamedRuleWithOperations, 0, len(rules))
	for _, r := range rules {
		out = append(out, admission.NamedRuleWithOperations{RuleWithOperations: r})
	}
	return out
}

// AddPolicies adds mutating admission policies. One without a binding does
// nothing, so it is left out.
func (m *Mutators) AddPolicies(policies []admission.MutatingAdmissionPolicy, bindings []admission.MutatingAdmissionPolicyBinding) {
	for i := range bindings {
		m.note(&bindings[i])
	}
	for i := range policies {
		m.note(&policies[i])
		for _, b := range bindings {
			if b.Spec.PolicyName == policies[i].Name {
				m.matchers = append(m.matchers, bound(policies[i], b)...)
			}
		}
	}
}

// bound gives the matchers of a policy through one binding: one, or none where
// it has no constraints, which the API server does not accept.
func bound(p admission.MutatingAdmissionPolicy, b admission.MutatingAdmissionPolicyBinding) []matcher {
	c := p.Spec.MatchConstraints
	if c == nil {
		return nil
	}
	m := matcher{
		name: "MutatingAdmissionPolicy " + p.Name, rules: c.ResourceRules,
		excluded:   c.ExcludeResourceRules,
		exact:      c.MatchPolicy != nil && *c.MatchPolicy == admission.Exact,
		namespaces: []*metav1.LabelSelector{c.NamespaceSelector},
		objects:    []*metav1.LabelSelector{c.ObjectSelector},
	}
	if own := b.Spec.MatchResources; own != nil {
		m.namespaces = append(m.namespaces, own.NamespaceSelector)
		m.objects = append(m.objects, own.ObjectSelector)
		m.narrowed = own.ResourceRules
		m.excluded = slices.Concat(m.excluded, own.ExcludeResourceRules)
	}
	return []matcher{m}
}

func (m *Mutators) note(o metav1.Object) {
	// Generation and not resourceVersion: an injected CA bundle is a change of
	// its configuration, a touched label is not.
	m.versions = append(m.versions, fmt.Sprintf("%T %s %s %d", o, o.GetName(), o.GetUID(), o.GetGeneration()))
}

// Key changes when any configuration does.
func (m Mutators) Key() string {
	versions := slices.Sorted(slices.Values(m.versions))
	sum := sha256.New()
	for _, v := range versions {
		fmt.Fprintln(sum, v)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Mutators names the configurations that match writes of the object, each once
// and in order. The labels are those of its namespace, or of the object itself
// if that is a Namespace.
func (m Mutators) Mutators(obj *unstructured.Unstructured, namespace map[string]string) []string {
	// The API server asks nobody about these, or nobody could repair them.
	if obj.GroupVersionKind().Group == admission.GroupName || m.resource == nil {
		return nil
	}
	target, ok := m.resource(obj)
	if !ok {
		return nil
	}
	var names []string
	for _, c := range m.matchers {
		if !slices.Contains(names, c.name) && c.matches(obj, target, namespace) {
			names = append(names, c.name)
		}
	}
	slices.Sort(names)
	return names
}

func (c matcher) matches(obj *unstructured.Unstructured, target Target, namespace map[string]string) bool {
	if !c.covers(c.rules, obj, target) || c.covers(c.excluded, obj, target) {
		return false
	}
	if len(c.narrowed) > 0 && !c.covers(c.narrowed, obj, target) {
		return false
	}
	// A cluster-scoped object has no namespace to select by.
	if target.Namespaced || obj.GetKind() == "Namespace" {
		if !selects(c.namespaces, namespace) {
			return false
		}
	}
	return selects(c.objects, obj.GetLabels())
}

func (c matcher) covers(rules []admission.NamedRuleWithOperations, obj *unstructured.Unstructured, target Target) bool {
	gvk := obj.GroupVersionKind()
	return slices.ContainsFunc(rules, func(r admission.NamedRuleWithOperations) bool {
		return has(r.APIGroups, gvk.Group) && (!c.exact || has(r.APIVersions, gvk.Version)) &&
			coversResource(r.Resources, target.Resource) && coversScope(r.Scope, target.Namespaced) &&
			writes(r.Operations) && (len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, obj.GetName()))
	})
}

func has(list []string, s string) bool { return slices.Contains(list, "*") || slices.Contains(list, s) }

// coversResource: "pods/exec" and "*/scale" are subresources and match no
// object as such.
func coversResource(list []string, resource string) bool {
	return slices.Contains(list, "*") || slices.Contains(list, "*/*") ||
		slices.Contains(list, resource) || slices.Contains(list, resource+"/*")
}

func coversScope(scope *admission.ScopeType, namespaced bool) bool {
	switch {
	case scope == nil || *scope == admission.AllScopes:
		return true
	case *scope == admission.NamespacedScope:
		return namespaced
	}
	return !namespaced
}

func writes(operations []admission.OperationType) bool {
	return slices.ContainsFunc(operations, func(o admission.OperationType) bool {
		return o == admission.OperationAll || o == admission.Create || o == admission.Update
	})
}

func selects(selectors []*metav1.LabelSelector, set map[string]string) bool {
	for _, s := range selectors {
		if s == nil {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(s)
		// A selector that cannot be read matches nothing on the server either.
		if err != nil || !selector.Matches(labels.Set(set)) {
			return false
		}
	}
	return true
}

// SelectsNamespaces says whether any configuration asks for labels of
// namespaces beyond the name that every namespace is labelled with.
func (m Mutators) SelectsNamespaces() bool {
	return slices.ContainsFunc(m.matchers, func(c matcher) bool {
		return slices.ContainsFunc(c.namespaces, asksLabels)
	})
}

func asksLabels(s *metav1.LabelSelector) bool {
	if s == nil {
		return false
	}
	for key := range s.MatchLabels {
		if key != corev1.LabelMetadataName {
			return true
		}
	}
	return slices.ContainsFunc(s.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool {
		return e.Key != corev1.LabelMetadataName
	})
}
