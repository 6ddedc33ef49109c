// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"io/fs"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/helm"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// Result is a render.
type Result struct {
	Kind Kind
	// Objects are the desired ones, ordered by identity. Their namespaces are
	// as written; hooks and what cannot be compared are not among them.
	Objects []manifest.Object
	// Hooks are objects that another tool runs around a release. They are no
	// part of what should stand, and are not run.
	Hooks []Hook
	// Unjudged are declared objects that cannot be compared.
	Unjudged []Unjudged
	// Notes are remarks for the reader of the Application, beside what Hooks
	// and Unjudged say.
	Notes []string
	// Incomplete says why absence from this render proves nothing; empty if
	// it does.
	Incomplete []string
	// Inputs are what was looked at.
	Inputs Inputs

	namespace string
	unstable  map[manifest.ID][]string
	tainted   map[manifest.ID][]string
	trace     helm.Trace
	secrets   []string
}

// Hook is an object that is left out because a tool runs it as a hook.
type Hook struct {
	ID     manifest.ID
	Source manifest.Source
	// Event is when it would run: pre-install, PostSync.
	Event string
}

// Unjudged is an object that is declared and yet cannot be compared.
type Unjudged struct {
	ID     manifest.ID
	Source manifest.Source
	// Note: it is enough to mention the object. Otherwise it is declared, has
	// an identity, and is Unknown.
	Note   bool
	Reason string
}

// Inputs are what a render looked at, in the artifact and in the second source
// of values.
type Inputs struct {
	Artifact tree.Inputs
	Values   tree.Inputs
}

// Complete says whether absence from this render is a proof.
func (r Result) Complete() bool { return len(r.Incomplete) == 0 }

// Fresh says whether rendering again would give the same: every file that was
// read is the same, every folder has the same members, and what was missing
// still is. valuesFS is nil without a second source.
func (r Result) Fresh(fsys, valuesFS fs.FS) bool {
	if valuesFS == nil {
		return len(r.Inputs.Values.Files()) == 0 && r.Inputs.Artifact.Verify(fsys)
	}
	return r.Inputs.Values.Verify(valuesFS) && r.Inputs.Artifact.Verify(fsys)
}

// Unstable are pointers to fields of an object on which two renders of the
// same revision differ; the empty pointer is the whole object.
func (r Result) Unstable(id manifest.ID) []string { return r.unstable[r.written(id)] }

// Tainted are pointers to fields of an object that hold a secret value.
func (r Result) Tainted(id manifest.ID) []string { return r.tainted[r.written(id)] }

// TaintedValues are the texts by which secret values are recognised. They are
// secrets themselves.
func (r Result) TaintedValues() []string { return r.secrets }

// Origin names the place that declares a field of an object, as far as it can
// be told: the values file and key that gave the value, else the file of the
// object. key is the last name on the way to the field, and the item's name
// for the value of a variable.
func (r Result) Origin(object manifest.Object, key string, value any) string {
	if place, found := r.trace.Origin(key, value); found {
		return place
	}
	return object.Source.String()
}

// written is the identity as the manifest has it. Callers ask by the identity
// in the cluster, where the destination namespace is filled in.
func (r Result) written(id manifest.ID) manifest.ID {
	if id.Namespace == r.namespace {
		id.Namespace = ""
	}
	return id
}
