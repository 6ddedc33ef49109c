// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package bootstrap is what "holdfast bootstrap" writes into a repository: the
// components, and what makes the install follow that very folder.
//
// In: rendered components and where the repository is. Out: files by path, and
// the objects in them. It holds no credential, reads no cluster and no
// repository.
package bootstrap

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/accounts"
	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
)

// Name of the source, Secret, Project and Application that follow the folder.
const Name = manifests.Namespace

// The files of the folder.
const (
	ComponentsFile = "holdfast-components.yaml"
	SyncFile       = "holdfast-sync.yaml"
	Kustomization  = "kustomization.yaml"
)

// Header of the files that the command writes. A file without it is somebody's.
const Header = "# Written by holdfast bootstrap. Change flags and run it again instead of editing;\n# patches of your own go into kustomization.yaml, which is never overwritten.\n"

// Input is an install and where it shall live.
type Input struct {
	Components []*unstructured.Unstructured
	URL        string
	Branch     string
	// Path of the cluster in the repository.
	Path string
	// Secret says that the source needs a credential.
	Secret   bool
	Interval time.Duration
}

// Folder of the files.
func (in Input) Folder() string { return path.Join(in.Path, Name) }

// Owner is how the namespace says whose the install is.
func (in Input) Owner() string { return "bootstrap " + in.URL + "//" + path.Clean(in.Path) }

// kustomization is written once, and is the user's from then on.
const kustomization = `# Yours: bootstrap writes this file once and never again. Patch the components here.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
- holdfast-components.yaml
- holdfast-sync.yaml
`

// Files by their path in the repository; kept says that kustomization.yaml is
// there already.
func (in Input) Files(kept bool) (map[string][]byte, error) {
	components, err := manifests.YAML(in.Components)
	if err != nil {
		return nil, err
	}
	sync, err := in.Sync()
	if err != nil {
		return nil, err
	}
	text, err := manifests.YAML(sync)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		path.Join(in.Folder(), ComponentsFile): append([]byte(Header), components...),
		path.Join(in.Folder(), SyncFile):       append([]byte(Header), text...),
	}
	if !kept {
		files[path.Join(in.Folder(), Kustomization)] = []byte(kustomization)
	}
	return files, nil
}

// Foreign says whether a file that is there was written by somebody else.
func Foreign(text []byte) bool {
	return !bytes.HasPrefix(text, []byte(strings.SplitAfter(Header, "\n")[0]))
}

// Sync are the source, the Project, the accounts and the Application.
func (in Input) Sync() ([]*unstructured.Unstructured, error) {
	app := in.application()
	all := []runtime.Object{in.source()}
	kinds := in.kinds()
	for _, a := range accounts.Objects(accounts.Input{
		Application: app, Kinds: kinds, Written: written(kinds), Controller: manifests.Namespace,
	}) {
		all = append(all, a)
	}
	all = append(all, in.project(), app)
	var objects []*unstructured.Unstructured
	for _, o := range all {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return nil, fmt.Errorf("encoding %T: %w", o, err)
		}
		u := &unstructured.Unstructured{Object: content}
		unstructured.RemoveNestedField(u.Object, "status")
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		objects = append(objects, u)
	}
	return objects, nil
}

func (in Input) source() *sourcev1.GitRepository {
	g := &sourcev1.GitRepository{
		TypeMeta:   metav1.TypeMeta{APIVersion: sourcev1.GroupVersion.String(), Kind: sourcev1.GitRepositoryKind},
		ObjectMeta: metav1.ObjectMeta{Name: Name, Namespace: manifests.Namespace},
		Spec: sourcev1.GitRepositorySpec{
			URL: in.URL, Interval: metav1.Duration{Duration: in.Interval}, Reference: &sourcev1.GitRepositoryRef{Branch: in.Branch},
		},
	}
	if in.Secret {
		g.Spec.SecretRef = &fluxmeta.LocalObjectReference{Name: Name}
	}
	return g
}

func (in Input) application() *v1alpha1.Application {
	return &v1alpha1.Application{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Application"},
		ObjectMeta: metav1.ObjectMeta{Name: Name, Namespace: manifests.Namespace},
		Spec: v1alpha1.ApplicationSpec{
			Project: Name, Path: in.Folder(), Stage: v1alpha1.StageSync,
			SourceRef:      v1alpha1.SourceReference{Kind: sourcev1.GitRepositoryKind, Name: Name},
			Render:         &v1alpha1.Render{Kustomize: &v1alpha1.KustomizeRender{}},
			Identity:       v1alpha1.Identity{Observe: Name + "-observer", Apply: Name + "-deployer"},
			DeletionPolicy: v1alpha1.DeletionKeep,
			// What people keep beside the controllers is theirs.
			Strays: &v1alpha1.StrayPolicy{Report: new(bool)},
		},
	}
}

// project lists exactly the kinds that are declared.
func (in Input) project() *v1alpha1.Project {
	p := &v1alpha1.Project{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Project"},
		ObjectMeta: metav1.ObjectMeta{Name: Name},
		Spec: v1alpha1.ProjectSpec{
			ApplicationNamespaces: []string{manifests.Namespace}, SourceRepos: []string{in.URL},
			MaxStage: v1alpha1.StageSync,
		},
	}
	spaces := []string{manifests.Namespace}
	for _, u := range in.Components {
		if ns := u.GetNamespace(); ns != "" && !slices.Contains(spaces, ns) {
			spaces = append(spaces, ns)
		}
	}
	slices.Sort(spaces)
	for _, ns := range spaces {
		p.Spec.Destinations = append(p.Spec.Destinations, v1alpha1.ProjectDestination{Namespace: ns})
	}
	for _, d := range in.declared() {
		s := v1alpha1.KindSelector{Group: d.group, Kind: d.kind}
		if d.namespaced {
			p.Spec.NamespaceResources.Allow = append(p.Spec.NamespaceResources.Allow, s)
			continue
		}
		p.Spec.ClusterResources = append(p.Spec.ClusterResources, s)
	}
	return p
}
