// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing/fstest"

	"sigs.k8s.io/yaml"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/desired"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// application is one application of a case, rendered.
type application struct {
	name   string
	result render.Result
	set    desired.Set
}

// fallbackNamespace is where objects without a namespace go, as with kubectl.
const fallbackNamespace = "default"

// applications renders everything that Git has in a case.
func (r *Runner) applications(ctx context.Context, c casefile.Case) ([]application, error) {
	scopes, err := r.cluster.Scopes(ctx)
	if err != nil {
		return nil, err
	}
	var all []application
	if c.Desired != nil {
		result, err := r.renderFile(ctx, c)
		if err != nil {
			return nil, err
		}
		all = append(all, application{name: c.Owner(), result: result})
	}
	for _, input := range current(c.Inputs) {
		result, err := r.renderFolder(ctx, c, input)
		if err != nil {
			return nil, err
		}
		all = append(all, application{name: input.Application, result: result})
	}
	for i := range all {
		all[i].set, err = desired.Make(desired.Input{
			Manifests: all[i].result.Objects, Scopes: scopes, Namespace: destination(c),
			Project: permitAll(), Key: r.key,
		})
		if err != nil {
			return nil, fmt.Errorf("desired set: %w", err)
		}
	}
	return all, nil
}

// current leaves out the earlier ones of numbered inputs.
func current(inputs []casefile.Input) []casefile.Input {
	last := -1
	for i, input := range inputs {
		if input.Numbered {
			last = i
		}
	}
	var now []casefile.Input
	for i, input := range inputs {
		if !input.Numbered || i == last {
			now = append(now, input)
		}
	}
	return now
}

// permitAll is a Project without limits: cases are not about those.
func permitAll() *api.Project {
	all := []api.KindSelector{{Group: "*", Kind: "*"}}
	return &api.Project{Spec: api.ProjectSpec{
		Destinations: []api.ProjectDestination{{Namespace: "*"}}, ClusterResources: all,
	}}
}

// renderFile renders desired.yaml, as the only file of a repository.
func (r *Runner) renderFile(ctx context.Context, c casefile.Case) (render.Result, error) {
	const name = "desired.yaml"
	data, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		return render.Result{}, err
	}
	files := fstest.MapFS{name: &fstest.MapFile{Data: data}}
	return render.Render(ctx, files, ".", render.Options{Kind: render.Plain, Namespace: destination(c)})
}

// renderFolder renders an input as an application of its name; a chart is
// released under its own.
func (r *Runner) renderFolder(ctx context.Context, c casefile.Case, input casefile.Input) (result render.Result, err error) {
	dir := filepath.Join(c.Dir, input.Dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return render.Result{}, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	capabilities, err := r.cluster.Capabilities(ctx)
	if err != nil {
		return render.Result{}, err
	}
	return render.Render(ctx, root.FS(), ".", render.Options{
		Namespace: destination(c),
		Cluster:   render.Cluster{KubeVersion: capabilities.KubeVersion, APIVersions: capabilities.APIVersions},
		Helm:      render.HelmOptions{ReleaseName: cmp.Or(input.Application, chartName(dir), "release")},
	})
}

func chartName(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
	if err != nil {
		return "" // no chart
	}
	var chart struct {
		Name string `json:"name"`
	}
	if yaml.Unmarshal(data, &chart) != nil {
		return "" // the renderer says what is wrong with it
	}
	return chart.Name
}

// destination is where objects go that name no namespace: the case's own, if
// it has just one.
func destination(c casefile.Case) string {
	if namespaces := c.Namespaces(); len(namespaces) == 1 {
		return namespaces[0]
	}
	return fallbackNamespace
}

// scope says what is sensitive of an object.
func (r *Runner) scope(a application, id manifest.ID) mask.Scope {
	return mask.Scope{
		Key: r.key, Secret: id.Kind == "Secret" && id.Group == "", Tainted: a.result.TaintedValues(),
	}
}
