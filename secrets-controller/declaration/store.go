// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// The kinds of stores.
const (
	SecretStoreKind        = "SecretStore"
	ClusterSecretStoreKind = "ClusterSecretStore"
)

// Store is a SecretStore or a ClusterSecretStore.
type Store struct {
	Ref secretsv1.ObjectReference
	// Providers are the names under spec.provider; a sound store has one.
	Providers []string
	// Conditions limit the namespaces; any match is enough, none admits all.
	Conditions []StoreCondition
	// Credentials are the Secrets that the store itself logs in with.
	Credentials []Credential
	// ForeignNamespaces are the namespace fields of selectors that leave the
	// namespace of a SecretStore.
	ForeignNamespaces []ForeignNamespace
	// Class is spec.controller; only the controller of that class serves it.
	Class string
	// Refresh is spec.refreshInterval.
	Refresh Interval
	// Plain are addresses without TLS.
	Plain []Pointer
	// Webhook: its Secrets need a label before the operator reads them.
	Webhook bool
}

// StoreCondition is one entry of spec.conditions.
type StoreCondition struct {
	At         Pointer
	Namespaces []string
	Regexes    []string
	Selector   *Selector
}

// Credential is a Secret selector inside a provider.
type Credential struct {
	At Pointer
	// Namespace is empty where a cluster store leaves it to its users.
	Namespace string
	Name      string
	// Key is empty where the Secret is used as a whole.
	Key string
}

// ForeignNamespace is a namespace named by a selector inside a store.
type ForeignNamespace struct {
	At        Pointer
	Namespace string
}

func readDeclaredStore(s *Set, object Object, _ Options) {
	s.Stores = append(s.Stores, ReadStore(object))
}

// ReadStore reads a store, declared or live.
func ReadStore(object Object) Store {
	spec := object.root().get("spec")
	out := Store{
		Ref: object.Ref, Providers: spec.get("provider").keys(), Class: spec.get("controller").text(),
		Refresh: readInterval(spec.get("refreshInterval")), Plain: plainHTTP(spec.get("provider")),
		Webhook: spec.get("provider", "webhook").exists(),
	}
	for _, item := range spec.get("conditions").items() {
		condition := StoreCondition{
			At:         item.at,
			Namespaces: item.get("namespaces").texts(),
			Regexes:    item.get("namespaceRegexes").texts(),
		}
		if selector := item.get("namespaceSelector"); selector.exists() {
			read := readSelector(selector)
			condition.Selector = &read
		}
		out.Conditions = append(out.Conditions, condition)
	}
	out.Credentials = credentials(spec.get("provider"), "", object.Ref.Namespace)
	if object.Ref.Kind == SecretStoreKind {
		out.ForeignNamespaces = foreignNamespaces(spec.get("provider"), object.Ref.Namespace)
	}
	return out
}

// plainHTTP finds addresses without TLS, other than of the machine itself.
func plainHTTP(n node) []Pointer {
	text := n.text()
	if strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "http://localhost") && !strings.HasPrefix(text, "http://127.") {
		return []Pointer{n.at}
	}
	var out []Pointer
	for _, key := range n.keys() {
		out = append(out, plainHTTP(n.get(key))...)
	}
	for _, item := range n.items() {
		out = append(out, plainHTTP(item)...)
	}
	return out
}

// credentials walks a provider for selectors of Secrets: by the name of their
// field, or by having both a name and a key. A CA bundle may come from a
// ConfigMap instead, and says so.
func credentials(n node, field, own string) []Credential {
	name, key := n.get("name").text(), n.get("key").text()
	selects := strings.HasSuffix(strings.ToLower(field), "secretref") || key != ""
	if name != "" && selects {
		if n.get("type").text() == "ConfigMap" {
			return nil
		}
		return []Credential{{At: n.at, Namespace: n.get("namespace").textOr(own), Name: name, Key: key}}
	}
	var out []Credential
	for _, child := range n.keys() {
		out = append(out, credentials(n.get(child), child, own)...)
	}
	for _, item := range n.items() {
		out = append(out, credentials(item, field, own)...)
	}
	return out
}

// foreignNamespaces walks a provider for selectors (objects with a name) that
// name another namespace. Providers differ in where they keep their
// references, but not in the form of one.
func foreignNamespaces(n node, own string) []ForeignNamespace {
	var out []ForeignNamespace
	if namespace := n.get("namespace"); n.get("name").text() != "" {
		if text := namespace.text(); text != "" && text != own {
			out = append(out, ForeignNamespace{At: namespace.at, Namespace: text})
		}
	}
	for _, key := range n.keys() {
		out = append(out, foreignNamespaces(n.get(key), own)...)
	}
	for _, item := range n.items() {
		out = append(out, foreignNamespaces(item, own)...)
	}
	return out
}

// Admission is what a store's conditions say about a namespace.
type Admission int

// The admissions.
const (
	Denied Admission = iota
	Undecided
	Admitted
)

// Admits evaluates the conditions for a namespace. The labels are nil when
// they are not known, and then a selector decides nothing.
func (s Store) Admits(namespace string, known labels.Set) Admission {
	if len(s.Conditions) == 0 {
		return Admitted
	}
	undecided := false
	for _, condition := range s.Conditions {
		if condition.names(namespace) {
			return Admitted
		}
		if condition.Selector == nil {
			continue
		}
		switch condition.Selector.Matches(known) {
		case Admitted:
			return Admitted
		case Undecided:
			undecided = true
		case Denied:
		}
	}
	if undecided {
		return Undecided
	}
	return Denied
}

func (c StoreCondition) names(namespace string) bool {
	if slices.Contains(c.Namespaces, namespace) {
		return true
	}
	return slices.ContainsFunc(c.Regexes, func(source string) bool {
		// ESO does not anchor these expressions, so neither may we.
		expression, err := regexp.Compile(source)
		return err == nil && expression.MatchString(namespace)
	})
}

// Selector is a label selector over namespaces.
type Selector struct {
	selector labels.Selector
}

func readSelector(n node) Selector {
	fields, _ := n.value.(map[string]any)
	var parsed metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &parsed); err != nil {
		return Selector{}
	}
	selector, err := metav1.LabelSelectorAsSelector(&parsed)
	if err != nil {
		return Selector{}
	}
	return Selector{selector: selector}
}

// MarshalText writes the selector as kubectl would, so that two declarations
// can be compared by their encoding.
func (s Selector) MarshalText() ([]byte, error) {
	if s.selector == nil {
		return []byte("unreadable"), nil
	}
	return []byte(s.selector.String()), nil
}

// Matches evaluates the selector; unknown labels or a selector that cannot be
// read leave it undecided.
func (s Selector) Matches(known labels.Set) Admission {
	switch {
	case s.selector == nil || known == nil:
		return Undecided
	case s.selector.Matches(known):
		return Admitted
	}
	return Denied
}
