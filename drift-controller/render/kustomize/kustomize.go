// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package kustomize

import (
	"context"
	"fmt"
	"path"
	"slices"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// building lets one build run at a time: kustomize keeps OpenAPI schemas in
// globals, and a concurrent read and write of a map would end the process.
var building = make(chan struct{}, 1)

// FileIn finds the kustomization file of a folder; empty if there is none.
func FileIn(t *tree.Tree, dir string) (string, error) {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		kind, err := t.Kind(path.Join(dir, name))
		if err != nil {
			return "", err
		}
		if kind == tree.File {
			return path.Join(dir, name), nil
		}
	}
	return "", nil
}

// Render builds the kustomization of dir.
func Render(ctx context.Context, t *tree.Tree, dir string, overrides v1alpha1.KustomizeRender) ([]manifest.Object, error) {
	file, err := FileIn(t, dir)
	if err != nil {
		return nil, err
	}
	if file == "" {
		return nil, &tree.Error{Kind: tree.ErrMissing, Path: dir,
			Message: "has no kustomization.yaml, which the kustomize renderer needs"}
	}
	select {
	case building <- struct{}{}:
		defer func() { <-building }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	files := &fileSystem{tree: t, root: file, overrides: overrides}
	resources, err := build(files, dir)
	if err != nil {
		return nil, explain(files, err)
	}
	return objects(files, dir, resources)
}

// build runs kustomize. A build with a schema of its own gets the schemas to
// itself, and takes them with it: they would type the objects of the next one.
// For all others the parsed schema stays; parsing it for every build was a
// fifth of Flux's idle cost.
func build(files *fileSystem, dir string) (resmap.ResMap, error) {
	resources, err := run(files, dir)
	if files.customSchema {
		openapi.ResetOpenAPI()
		defer openapi.ResetOpenAPI()
		return run(files, dir)
	}
	return resources, err
}

func run(files *fileSystem, dir string) (resources resmap.ResMap, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("kustomize gave up: %v", cause)
		}
	}()
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionUnspecified
	options.LoadRestrictions = types.LoadRestrictionsNone // the tree is the limit
	options.PluginConfig = types.DisabledPluginConfig()
	return krusty.MakeKustomizer(options).Run(files, path.Join(mount, dir))
}

// objects reads the nodes of the resources themselves, where integers are still
// exact, and what is odd about a text can be noted.
func objects(files *fileSystem, dir string, resources resmap.ResMap) ([]manifest.Object, error) {
	var all []manifest.Object
	for _, res := range resources.Resources() {
		source := manifest.Source{File: originOf(res, dir, files.root)}
		found, err := manifest.FromNode(source, res.YNode())
		if err != nil {
			return nil, err
		}
		if !files.keepOrigins {
			for _, object := range found {
				dropOrigin(object)
			}
		}
		all = append(all, found...)
	}
	return all, nil
}

// originOf is the file a resource was read from, or the kustomization whose
// generator made it.
func originOf(res *resource.Resource, dir, fallback string) string {
	origin, err := res.GetOrigin()
	if err != nil || origin == nil {
		return fallback
	}
	for _, name := range []string{origin.Path, origin.ConfiguredIn} {
		if joined, err := tree.Join(dir, name); name != "" && err == nil {
			return joined
		}
	}
	return fallback
}

const originAnnotation = "config.kubernetes.io/origin"

// dropOrigin takes back the annotation that only we asked for.
func dropOrigin(object manifest.Object) {
	metadata, _ := object.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if _, set := annotations[originAnnotation]; !set {
		return
	}
	delete(annotations, originAnnotation)
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
}

func isKustomizationFile(name string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(name))
}
