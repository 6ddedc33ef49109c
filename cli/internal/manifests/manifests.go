// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manifests renders the manifests that the binary carries.
//
// In: options. Out: the objects of an install, in the order in which they can
// be applied, or the same as YAML. It reads the embedded files only: no
// cluster, no network, no disk.
package manifests

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/config"
)

// Namespace of every install. RBAC and the admission policies name it, so that
// it is no option.
const Namespace = "holdfast-system"

// DefaultRegistry is where the images of a release are.
const DefaultRegistry = "ghcr.io/holdfast-gitops"

// The controllers.
const (
	Source  = "source-controller"
	Drift   = "drift-controller"
	Secrets = "secrets-controller"
)

// Components are the controllers that an install may have.
func Components() []string { return []string{Source, Drift, Secrets} }

// Options of an install.
type Options struct {
	// Components; none is all of them.
	Components      []string
	Registry        string
	Tag             string // of the images; "" is that of the manifests
	ImagePullSecret string
	NetworkPolicy   bool
	ClusterDomain   string
	TolerationKeys  []string
	EventsAddr      string
	// KeepSourceKinds leaves Flux's CRDs out: the cluster has its own.
	KeepSourceKinds bool
	// Memory limits by controller, as in 2Gi.
	Memory map[string]string
}

// Defaults of an install.
func Defaults() Options {
	return Options{Components: Components(), Registry: DefaultRegistry, NetworkPolicy: true, ClusterDomain: "cluster.local"}
}

// Render gives the objects.
func Render(o Options) ([]*unstructured.Unstructured, error) {
	if err := o.valid(); err != nil {
		return nil, err
	}
	base := "default"
	if !slices.Contains(o.Components, Source) {
		base = "overlays/beside-flux"
	}
	objects, err := build(base)
	if err != nil {
		return nil, err
	}
	objects = slices.DeleteFunc(objects, func(u *unstructured.Unstructured) bool { return !o.wants(u) })
	for _, u := range objects {
		if err := o.adjust(u); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(objects, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	return objects, nil
}

func (o Options) valid() error {
	for _, c := range o.Components {
		if !slices.Contains(Components(), c) {
			return fmt.Errorf("--components: %q is not one of %s", c, strings.Join(Components(), ", "))
		}
	}
	if len(o.Components) == 0 {
		return fmt.Errorf("--components: name at least one of %s", strings.Join(Components(), ", "))
	}
	for _, text := range []string{o.Registry, o.ClusterDomain, o.ImagePullSecret} {
		if strings.ContainsAny(text, " \t\n\"'\\") {
			return fmt.Errorf("%q is neither a registry nor a domain nor a name", text)
		}
	}
	return nil
}

func build(folder string) ([]*unstructured.Unstructured, error) {
	files := filesys.MakeFsInMemory()
	err := fs.WalkDir(config.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := config.Files.ReadFile(name)
		if err != nil {
			return err
		}
		return files.WriteFile(path.Join("/", name), text)
	})
	if err != nil {
		return nil, fmt.Errorf("reading the embedded manifests: %w", err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/"+folder)
	if err != nil {
		return nil, fmt.Errorf("building the embedded manifests: %w", err)
	}
	var objects []*unstructured.Unstructured
	for _, r := range built.Resources() {
		raw, err := r.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("building the embedded manifests: %w", err)
		}
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(raw); err != nil {
			return nil, fmt.Errorf("building the embedded manifests: %w", err)
		}
		objects = append(objects, u)
	}
	return objects, nil
}

// wants leaves out what belongs to controllers that are not wanted.
func (o Options) wants(u *unstructured.Unstructured) bool {
	name := strings.TrimPrefix(u.GetName(), "holdfast-")
	switch {
	case slices.Contains(Components(), name):
		if u.GetKind() == "NetworkPolicy" && !o.NetworkPolicy {
			return false
		}
		return slices.Contains(o.Components, name)
	case name == "secret-names":
		return slices.Contains(o.Components, Secrets)
	case u.GetKind() == "NetworkPolicy":
		return o.NetworkPolicy
	case u.GetKind() == "CustomResourceDefinition" && strings.HasSuffix(u.GetName(), ".source.toolkit.fluxcd.io"):
		return !o.KeepSourceKinds
	default:
		return true
	}
}

// rank orders what others need first: kinds, the namespace, then the rest, and
// Deployments last.
func rank(u *unstructured.Unstructured) int {
	switch u.GetKind() {
	case "CustomResourceDefinition":
		return 0
	case "Namespace":
		return 1
	case "Deployment":
		return 9
	default:
		return 5
	}
}

// YAML of objects, one document each.
func YAML(objects []*unstructured.Unstructured) ([]byte, error) {
	var b bytes.Buffer
	for _, u := range objects {
		text, err := yaml.Marshal(u.Object)
		if err != nil {
			return nil, fmt.Errorf("printing %s %s: %w", u.GetKind(), u.GetName(), err)
		}
		b.WriteString("---\n")
		b.Write(text)
	}
	return b.Bytes(), nil
}
