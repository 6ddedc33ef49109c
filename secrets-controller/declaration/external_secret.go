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
	Meta
	Spec
}

// ClusterExternalSecret creates one ExternalSecret in each namespace that its
// selectors admit.
type ClusterExternalSecret struct {
	Ref       secretsv1.ObjectReference
	ChildName string
	// RefreshTime is the cadence of the object itself, not of the values.
	RefreshTime Interval
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
	Generic bool
	// GenericKind is that kind.
	GenericKind string
	Template    *Template
}

// NameAt points to the name, or to the target where the name is defaulted.
func (t Target) NameAt() Pointer { return t.At.Child("name") }

// Template shapes the target. Only the names of its keys are kept, and what
// its texts do.
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
	// Data are the texts of template.data, Metadata those of labels and
	// annotations.
	Data, Metadata []TemplateText
	From           []TemplateFrom
	// Labels of the target; Finalizers that it gets.
	Labels     map[string]string
	Finalizers bool
}

// TemplateFrom takes keys from a ConfigMap, a Secret or a literal.
type TemplateFrom struct {
	At Pointer
	// Source is configMap, secret or literal.
	Source string
	Name   string
	Items  []TemplateItem
	// Target as written, by default Data.
	Target string
	// Literal is what the text of a literal does.
	Literal TemplateText
}

// NameAt points to the name of the ConfigMap or Secret.
func (f TemplateFrom) NameAt() Pointer { return f.At.Child(f.Source, "name") }

// TemplateItem is one key of a ConfigMap or Secret that holds a template.
type TemplateItem struct {
	At        Pointer
	Key       string
	KeyValues bool
}

// DataItem fetches one remote value under one key.
type DataItem struct {
	At        Pointer
	Key       string
	RemoteKey string
	Property  string
	Remote    Remote
	Source    ItemSource
}

// Remote is how a remote value is read.
type Remote struct {
	At         Pointer
	Version    string
	Decoding   string
	Conversion string
}

// DataFromItem fetches a set of keys.
type DataFromItem struct {
	At         Pointer
	HasExtract bool
	HasFind    bool
	// FindRegexp is the expression of find.name, and where it stands.
	FindRegexp   string
	FindRegexpAt Pointer
	// FindPath and FindTags narrow a find.
	FindPath   string
	FindTags   bool
	ExtractKey string
	// ExtractProperty is a part of the remote object.
	ExtractProperty string
	Remote          Remote
	Source          ItemSource
	Rewrites        []Rewrite
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
	// Merge joins JSON values; Priority names the keys that win, and Strict
	// fails where one is absent.
	Merge    bool
	Priority []string
	Strict   bool
}
