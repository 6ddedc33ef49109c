// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"time"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/helm"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// Kind names a renderer.
type Kind string

// The renderers. Detect leaves the choice to what stands at the path.
const (
	Detect    Kind = ""
	Helm      Kind = "helm"
	Kustomize Kind = "kustomize"
	Plain     Kind = "plain"
)

// Layer is a set of Helm values with a name for readers.
type Layer = helm.Layer

// Limits bound a render.
type Limits = tree.Limits

// Options are everything that a render depends on beside the artifact.
type Options struct {
	Kind Kind
	// Namespace is the destination of objects that name none.
	Namespace string
	// Revision stands in messages.
	Revision string
	// Cluster is what charts may know of the cluster.
	Cluster   Cluster
	Helm      HelmOptions
	Kustomize v1alpha1.KustomizeRender
	// Substitute is nil unless variables are to be replaced.
	Substitute *Variables
	// Decryption is nil unless SOPS files are to be decrypted.
	Decryption *Decryption
	// Tainted are further values that must not be shown, beside those of
	// tainted layers and variables.
	Tainted []string
	Limits  Limits
}

// Cluster is what a chart sees as .Capabilities, and what is not known of it.
type Cluster struct {
	KubeVersion string
	// APIVersions are groups with versions, and kinds of them: apps/v1,
	// apps/v1/Deployment.
	APIVersions []string
	// Incomplete names what discovery could not tell; a render on top of that
	// proves nothing about absence.
	Incomplete []string
}

// HelmOptions are those of the helm renderer.
type HelmOptions struct {
	ReleaseName string
	ValuesFiles []string
	Layers      []Layer
	SkipCRDs    bool
	// Now is what the function now gives; left out, a fixed time.
	Now time.Time
	// ValuesFS holds the values files, if they come from a source of their own.
	ValuesFS fs.FS `json:"-"`
}

// Variables replace ${NAME} in rendered text.
type Variables struct {
	Values map[string]string
	// Tainted names those that come from a Secret.
	Tainted map[string]bool
}

// Decryption opens SOPS files.
type Decryption struct {
	// Keys are age identities as text.
	Keys []string
}

// Digest is a digest over the options. Secrets go into it, so it is a key for
// memory and nothing to publish.
func (o Options) Digest() string {
	// Maps are encoded in the order of their keys.
	text, err := json.Marshal(o)
	if err != nil {
		text = fmt.Appendf(nil, "%#v", o)
	}
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// External is what a spec refers to, read beforehand.
type External struct {
	// Layers are those of valuesFrom, in its order.
	Layers []Layer
	// Variables are those of substitute.from, merged in its order.
	Variables Variables
	ValuesFS  fs.FS
	// Keys are those of decryption, as text.
	Keys []string
}

// OptionsFrom makes options of an Application's spec. release is the name that
// a chart is released under unless the spec gives one.
func OptionsFrom(spec *v1alpha1.Render, release, namespace string, external External) (Options, error) {
	o := Options{Namespace: namespace, Helm: HelmOptions{ReleaseName: release}}
	if spec == nil {
		return o, nil
	}
	if spec.Decryption != nil {
		decryption, err := decryptionFrom(*spec.Decryption, external.Keys)
		if err != nil {
			return o, err
		}
		o.Decryption, o.Tainted = decryption, decryption.Keys
	}
	switch {
	case spec.Helm != nil:
		o.Kind = Helm
		o.Helm = helmOptions(spec.Helm, release, external)
	case spec.Kustomize != nil:
		o.Kind, o.Kustomize = Kustomize, *spec.Kustomize
	case spec.Plain != nil:
		o.Kind = Plain
	}
	if spec.Substitute != nil {
		o.Substitute = variables(spec.Substitute.Values, external.Variables)
	}
	return o, nil
}

func helmOptions(spec *v1alpha1.HelmRender, release string, external External) HelmOptions {
	h := HelmOptions{
		ReleaseName: release, ValuesFiles: spec.ValuesFiles, Layers: external.Layers,
		SkipCRDs: spec.SkipCRDs, ValuesFS: external.ValuesFS,
	}
	if spec.ReleaseName != "" {
		h.ReleaseName = spec.ReleaseName
	}
	if spec.Values != nil && len(spec.Values.Raw) > 0 {
		inline := Layer{Name: "spec.render.helm.values", Values: spec.Values.Raw}
		h.Layers = append(h.Layers[:len(h.Layers):len(h.Layers)], inline)
	}
	return h
}

// variables lets inline values win, as in Flux; they are in plain sight.
func variables(inline map[string]string, from Variables) *Variables {
	v := &Variables{Values: maps.Clone(from.Values), Tainted: maps.Clone(from.Tainted)}
	if v.Values == nil {
		v.Values = map[string]string{}
	}
	for name, value := range inline {
		v.Values[name] = value
		delete(v.Tainted, name)
	}
	return v
}
