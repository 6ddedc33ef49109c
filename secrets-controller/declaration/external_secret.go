// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package declaration

import (
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// CreationPolicy says what the External Secrets Operator does to its target.
type CreationPolicy string

// The creation policies. CreateOrMerge came with ESO 2.8; a word that is not
// listed here stays as it is and is never taken for the default.
const (
	CreationOwner         CreationPolicy = "Owner"
	CreationOrphan        CreationPolicy = "Orphan"
	CreationMerge         CreationPolicy = "Merge"
	CreationNone          CreationPolicy = "None"
	CreationCreateOrMerge CreationPolicy = "CreateOrMerge"
)

// DeletionPolicy says what happens to the target when the provider is empty.
type DeletionPolicy string

// The deletion policies.
const (
	DeletionRetain DeletionPolicy = "Retain"
	DeletionDelete DeletionPolicy = "Delete"
	DeletionMerge  DeletionPolicy = "Merge"
)

// ExternalSecret is an object of that kind.
type ExternalSecret struct {
	Ref secretsv1.ObjectReference
	Spec
}

// ClusterExternalSecret creates one ExternalSecret in each namespace that its
// selectors admit.
type ClusterExternalSecret struct {
	Ref       secretsv1.ObjectReference
	ChildName string
	// Namespaces named one by one, and the selectors; any match is enough.
	Namespaces []string
	Selectors  []Selector
	Spec
}

// Spec is the body of an ExternalSecret, wherever it stands.
type Spec struct {
	// Base points to the body within the object.
	Base            Pointer
	Store           StoreReference
	Target          Target
	RefreshPolicy   string
	RefreshInterval Interval
	Data            []DataItem
	DataFrom        []DataFromItem
}

// Interval is a duration as written.
type Interval struct {
	At   Pointer
	Text string
	// IsText: a YAML string, which any schema accepts; else absent or a number.
	IsText bool
}

// StoreReference names a store.
type StoreReference struct {
	At   Pointer
	Name string
	// Kind as written; empty means SecretStore.
	Kind string
}

// KindOrDefault is the kind that the operator looks for.
func (r StoreReference) KindOrDefault() string {
	if r.Kind == "" {
		return SecretStoreKind
	}
	return r.Kind
}

// Target is the Secret to be written.
type Target struct {
	At Pointer
	// Name of the Secret; by default that of the ExternalSecret.
	Name      string
	Creation  CreationPolicy
	Deletion  DeletionPolicy
	Immutable bool
	// Generic: the target is another kind, and no Secret is written.
	Generic  bool
	Template *Template
}

// NameAt points to the name, or to the target where the name is defaulted.
func (t Target) NameAt() Pointer { return t.At.Child("name") }

// Template shapes the target. Only the names of its keys are kept.
type Template struct {
	At   Pointer
	Type string
	// Engine is engineVersion as written.
	Engine string
	// Merge: fetched keys stay beside the template's own.
	Merge bool
	Keys  Keys
	// DeclaresData: without any, the fetched keys pass through unchanged.
	DeclaresData bool
}

// DataItem fetches one remote value under one key.
type DataItem struct {
	At        Pointer
	Key       string
	RemoteKey string
	Property  string
	Source    ItemSource
}

// DataFromItem fetches a set of keys.
type DataFromItem struct {
	At         Pointer
	HasExtract bool
	HasFind    bool
	// FindRegexp is the expression of find.name, and where it stands.
	FindRegexp   string
	FindRegexpAt Pointer
	ExtractKey   string
	Source       ItemSource
	Rewrites     []Rewrite
}

// ItemSource redirects one item to another store or to a generator.
type ItemSource struct {
	At        Pointer
	Store     *StoreReference
	Generator *GeneratorReference
}

// GeneratorReference names a generator object of the same namespace.
type GeneratorReference struct {
	At   Pointer
	Kind string
	Name string
}

// Rewrite renames the keys of one dataFrom item.
type Rewrite struct {
	At     Pointer
	Regexp bool
	Source string
	Target string
}

func readExternalSecret(s *Set, object Object, _ Options) {
	s.ExternalSecrets = append(s.ExternalSecrets, ExternalSecret{
		Ref:  object.Ref,
		Spec: readSpec(object.root().get("spec"), object.Ref.Name),
	})
}

func readClusterExternalSecret(s *Set, object Object, _ Options) {
	spec := object.root().get("spec")
	child := spec.get("externalSecretName").textOr(object.Ref.Name)
	out := ClusterExternalSecret{
		Ref:        object.Ref,
		ChildName:  child,
		Namespaces: spec.get("namespaces").texts(),
		Spec:       readSpec(spec.get("externalSecretSpec"), child),
	}
	if one := spec.get("namespaceSelector"); one.exists() {
		out.Selectors = append(out.Selectors, readSelector(one))
	}
	for _, selector := range spec.get("namespaceSelectors").items() {
		out.Selectors = append(out.Selectors, readSelector(selector))
	}
	s.ClusterExternalSecrets = append(s.ClusterExternalSecrets, out)
}

func readSpec(spec node, owner string) Spec {
	interval := spec.get("refreshInterval")
	_, isText := interval.value.(string)
	out := Spec{
		Base:            spec.at,
		Store:           readStoreReference(spec.get("secretStoreRef")),
		Target:          readTarget(spec.get("target"), owner),
		RefreshPolicy:   spec.get("refreshPolicy").text(),
		RefreshInterval: Interval{At: interval.at, Text: interval.text(), IsText: isText},
	}
	for _, item := range spec.get("data").items() {
		out.Data = append(out.Data, DataItem{
			At:        item.at,
			Key:       item.get("secretKey").text(),
			RemoteKey: item.get("remoteRef", "key").text(),
			Property:  item.get("remoteRef", "property").text(),
			Source:    readItemSource(item.get("sourceRef")),
		})
	}
	for _, item := range spec.get("dataFrom").items() {
		out.DataFrom = append(out.DataFrom, readDataFrom(item))
	}
	return out
}

func readStoreReference(ref node) StoreReference {
	return StoreReference{At: ref.at, Name: ref.get("name").text(), Kind: ref.get("kind").text()}
}

func readItemSource(source node) ItemSource {
	out := ItemSource{At: source.at}
	if store := source.get("storeRef"); store.exists() {
		ref := readStoreReference(store)
		out.Store = &ref
	}
	if generator := source.get("generatorRef"); generator.exists() {
		out.Generator = &GeneratorReference{
			At:   generator.at,
			Kind: generator.get("kind").text(),
			Name: generator.get("name").text(),
		}
	}
	return out
}

func readDataFrom(item node) DataFromItem {
	expression := item.get("find", "name", "regexp")
	out := DataFromItem{
		At:           item.at,
		HasExtract:   item.get("extract").exists(),
		HasFind:      item.get("find").exists(),
		FindRegexp:   expression.text(),
		FindRegexpAt: expression.at,
		ExtractKey:   item.get("extract", "key").text(),
		Source:       readItemSource(item.get("sourceRef")),
	}
	for _, rewrite := range item.get("rewrite").items() {
		expression := rewrite.get("regexp")
		out.Rewrites = append(out.Rewrites, Rewrite{
			At:     rewrite.at,
			Regexp: expression.exists(),
			Source: expression.get("source").text(),
			Target: expression.get("target").text(),
		})
	}
	return out
}

func readTarget(target node, owner string) Target {
	out := Target{
		At:        target.at,
		Name:      target.get("name").textOr(owner),
		Creation:  CreationPolicy(target.get("creationPolicy").textOr(string(CreationOwner))),
		Deletion:  DeletionPolicy(target.get("deletionPolicy").textOr(string(DeletionRetain))),
		Immutable: target.get("immutable").isTrue(),
		Generic:   target.get("manifest").exists(),
	}
	if template := target.get("template"); template.exists() {
		out.Template = readTemplate(template)
	}
	return out
}
