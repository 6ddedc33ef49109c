// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/drift-controller/consumers"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/drift"
	"github.com/holdfast-gitops/holdfast/drift-controller/inventory"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	entries "github.com/holdfast-gitops/holdfast/drift-controller/report"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
)

// Input is what is judged.
type Input struct {
	Application *v1alpha1.Application
	// Project of the Application; nil is the locked-down default.
	Project *v1alpha1.Project
	// Pages and Inventory are what the drift-controller published.
	Pages     []v1alpha1.DriftReport
	Inventory []v1alpha1.Inventory
	// Files is the source, Name what the user calls it.
	Files fs.FS
	Name  string
	// External is what spec.render refers to.
	External render.External
	Now      time.Time
}

// rendering bounds how long a render may take.
const rendering = time.Minute

// Comparison is a source held against the cluster.
type Comparison struct {
	Preview report.Preview
	Objects []drift.Object
	// Live is what was read of each object that is there.
	Live map[manifest.ID]*unstructured.Unstructured
}

// Judge renders the source and holds it against the cluster.
func Judge(ctx context.Context, c *observe.Cluster, in Input) (report.Preview, error) {
	found, err := Compare(ctx, c, in)
	return found.Preview, err
}

// Compare does so, and keeps what it has seen.
func Compare(ctx context.Context, c *observe.Cluster, in Input) (Comparison, error) {
	var none Comparison
	scopes, err := c.Scopes(ctx)
	if err != nil {
		return none, fmt.Errorf("asking the cluster for its kinds: %w", err)
	}
	rendered, err := in.render(ctx, c, scopes)
	if err != nil {
		return none, fmt.Errorf("rendering %s: %w", in.Name, err)
	}
	set, err := desired.Make(desired.Input{
		Manifests: rendered.Objects, Scopes: scopes,
		Namespace: destination(in.Application), OwnNamespace: in.Application.Namespace, Project: in.Project,
	})
	if err != nil {
		return none, fmt.Errorf("rendering %s: %w", in.Name, err)
	}
	j, err := in.judge(rendered)
	if err != nil {
		return none, err
	}
	objects, err := j.objects(ctx, c, set)
	if err != nil {
		return none, err
	}
	objects = append(objects, unjudged(rendered, scopes, destination(in.Application))...)
	removed, err := j.removed(ctx, c, set, rendered)
	if err != nil {
		return none, err
	}
	found := entries.Entries(entries.Input{
		Application: entries.Name{Namespace: in.Application.Namespace, Name: in.Application.Name},
		Stage:       v1alpha1.StageObserve, Objects: objects, Removed: removed,
		Readers: consumers.Find(manifests(set)), Declared: origins(set, rendered),
		Writers: j.writers, Now: in.Now,
	})
	return Comparison{
		Preview: report.NewPreview(in.Application, in.Name, settle(in, found), j.notes(objects, set, rendered)),
		Objects: objects, Live: j.live,
	}, nil
}

func (in Input) options(ctx context.Context, c *observe.Cluster, scopes manifest.Scopes) (render.Options, error) {
	options, err := render.OptionsFrom(in.Application.Spec.Render, in.Application.Name, destination(in.Application), in.External)
	if err != nil {
		return options, err
	}
	able, err := c.Capabilities(ctx)
	if err != nil {
		return options, fmt.Errorf("asking the cluster for its version: %w", err)
	}
	options.Revision = in.Name
	options.Cluster = render.Cluster{KubeVersion: able.KubeVersion, APIVersions: able.APIVersions, Incomplete: scopes.Incomplete}
	return options, nil
}

func (in Input) render(ctx context.Context, c *observe.Cluster, scopes manifest.Scopes) (render.Result, error) {
	options, err := in.options(ctx, c, scopes)
	if err != nil {
		return render.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, rendering)
	defer cancel()
	return render.Render(ctx, in.Files, in.Application.Spec.Path, options)
}

// judge prepares what is the same for every object. The key is one of this
// run: nothing that it masks can be compared with another run.
func (in Input) judge(rendered render.Result) (*judge, error) {
	ignore, err := drift.CompileIgnore(in.Application.Spec.Ignore)
	if err != nil {
		return nil, fmt.Errorf("the Application %s/%s: %w", in.Application.Namespace, in.Application.Name, err)
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("making a key to mask values with: %w", err)
	}
	catalogue := writers.BuiltIn()
	if in.Project != nil {
		w := in.Project.Spec.Writers
		catalogue = catalogue.With(w.Humans, w.Deployers, w.Controllers)
	}
	return &judge{
		scope: mask.Scope{Key: key, Tainted: rendered.TaintedValues()}, writers: catalogue, ignore: ignore,
		memory: inventory.Read(in.Inventory), rendered: rendered, now: in.Now,
		live: map[manifest.ID]*unstructured.Unstructured{},
	}, nil
}

func destination(app *v1alpha1.Application) string {
	if app.Spec.Destination.Namespace != "" {
		return app.Spec.Destination.Namespace
	}
	return app.Namespace
}

func manifests(set desired.Set) []manifest.Object {
	objects := make([]manifest.Object, 0, len(set.Objects))
	for _, o := range set.Objects {
		objects = append(objects, o.Object)
	}
	return objects
}
