// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"fmt"
	"io/fs"
	"path"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/helm"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/kustomize"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/plain"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// Render renders the path. The deadline of ctx bounds it. fsys must not follow
// links out of its root: use that of an os.Root.
func Render(ctx context.Context, fsys fs.FS, dir string, options Options) (Result, error) {
	job := &job{
		options: options,
		tree:    tree.New(fsys, options.Limits, ctx.Err),
		secrets: secretTexts(options),
	}
	if options.Helm.ValuesFS != nil {
		job.values = tree.New(options.Helm.ValuesFS, options.Limits, ctx.Err)
	}
	if err := job.decrypt(); err != nil {
		return Result{}, job.halted(ctx, err)
	}
	result, err := job.run(ctx, dir)
	if err != nil {
		return Result{}, job.halted(ctx, err)
	}
	return result, nil
}

// job is one render.
type job struct {
	options Options
	tree    *tree.Tree
	values  *tree.Tree // the second source, or nil
	secrets []string
	vault   *vault // nil unless files are decrypted
}

// output is what every renderer gives.
type output struct {
	objects  []manifest.Object
	notes    []string
	unstable map[manifest.ID][]string
	trace    helm.Trace
}

// renderer is one way to make objects of a folder.
type renderer func(ctx context.Context, dir string) (output, error)

func (j *job) run(ctx context.Context, dir string) (Result, error) {
	dir, err := j.locate(dir)
	if err != nil {
		return Result{}, err
	}
	kind := j.options.Kind
	if kind == Detect {
		if kind, err = j.detect(dir); err != nil {
			return Result{}, err
		}
	}
	renderers := map[Kind]renderer{Helm: j.helm, Kustomize: j.kustomize, Plain: j.plain}
	render, known := renderers[kind]
	if !known {
		return Result{}, fmt.Errorf("there is no renderer %q", kind)
	}
	out, err := render(ctx, dir)
	// Also what an error says has to be without the values that were opened.
	j.secrets = secretTexts(j.options, j.vault.opened()...)
	if err != nil {
		return Result{}, err
	}
	if err := j.vault.left(out.objects); err != nil {
		return Result{}, err
	}
	return j.finish(kind, dir, out)
}

// locate checks the path itself: what is wrong with it is not the build's fault.
func (j *job) locate(dir string) (string, error) {
	clean, err := tree.Join(".", dir)
	if err != nil {
		return "", &pathError{fmt.Errorf("path %s leaves the repository: name a folder within it", dir)}
	}
	kind, err := j.tree.Kind(clean)
	switch {
	case err != nil:
		return "", &pathError{err}
	case kind == tree.Absent:
		return "", &pathError{fmt.Errorf("path %s does not exist in %s: correct spec.path, or add the folder", clean, j.revision())}
	case kind != tree.Dir:
		return "", &pathError{fmt.Errorf("path %s is no folder in %s: name the folder that holds it", clean, j.revision())}
	}
	return clean, nil
}

func (j *job) revision() string {
	if j.options.Revision == "" {
		return "the artifact"
	}
	return j.options.Revision
}

// detect is the one place where a renderer is chosen.
func (j *job) detect(dir string) (Kind, error) {
	chart, err := j.tree.Kind(path.Join(dir, helm.ChartFile))
	if err != nil {
		return Detect, err
	}
	if chart == tree.File {
		return Helm, nil
	}
	kustomization, err := kustomize.FileIn(j.tree, dir)
	if err != nil {
		return Detect, err
	}
	if kustomization != "" {
		return Kustomize, nil
	}
	return Plain, nil
}

func (j *job) helm(ctx context.Context, dir string) (output, error) {
	o := j.options
	out, err := helm.Render(ctx, j.tree, dir, helm.Options{
		ReleaseName: o.Helm.ReleaseName,
		Namespace:   o.Namespace,
		ValuesFiles: o.Helm.ValuesFiles,
		ValuesTree:  j.values,
		Layers:      o.Helm.Layers,
		SkipCRDs:    o.Helm.SkipCRDs,
		KubeVersion: o.Cluster.KubeVersion,
		APIVersions: o.Cluster.APIVersions,
		Now:         o.Helm.Now,
	})
	return output{objects: out.Objects, notes: out.Notes, unstable: out.Unstable, trace: out.Trace}, err
}

func (j *job) kustomize(ctx context.Context, dir string) (output, error) {
	objects, err := kustomize.Render(ctx, j.tree, dir, j.options.Kustomize)
	return output{objects: objects}, err
}

func (j *job) plain(ctx context.Context, dir string) (output, error) {
	// As for Flux, a kustomization further down stands for its folder.
	inner := func(below string) (plain.Output, bool, error) {
		kind, err := j.detect(below)
		switch {
		case err != nil || kind == Plain:
			return plain.Output{}, false, err
		case kind == Helm:
			return plain.Output{}, false, fmt.Errorf("%s: a Helm chart below a folder of plain manifests: "+
				"give it an Application of its own", path.Join(below, helm.ChartFile))
		}
		out, err := j.kustomize(ctx, below)
		return plain.Output{Objects: out.objects}, true, err
	}
	out, err := plain.Render(j.tree, dir, inner)
	return output{objects: out.Objects, notes: out.Notes}, err
}
