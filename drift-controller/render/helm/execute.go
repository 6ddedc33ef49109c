// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

const defaultKubeVersion = "v1.36.0"

func capabilities(options Options) (*common.Capabilities, error) {
	version := options.KubeVersion
	if version == "" {
		version = defaultKubeVersion
	}
	parsed, err := common.ParseKubeVersion(version)
	if err != nil {
		return nil, fmt.Errorf("kubeVersion %q cannot be read as a version", version)
	}
	caps := common.DefaultCapabilities.Copy()
	caps.KubeVersion = *parsed
	if len(options.APIVersions) > 0 {
		caps.APIVersions = common.VersionSet(slices.Sorted(slices.Values(options.APIVersions)))
	}
	return caps, nil
}

// execution is the text of one run of all templates, by template.
type execution struct {
	files  map[string]string
	looked bool // lookup was called
}

type result struct {
	execution
	err error
}

// execute runs the templates once. The engine cannot be interrupted, so it
// runs aside; the functions that the templates are given end it soon after.
func (r *release) execute(ctx context.Context, now time.Time) (execution, error) {
	if constraint := r.chart.Metadata.KubeVersion; constraint != "" && !util.IsCompatibleRange(constraint, r.caps.KubeVersion.String()) {
		return execution{}, fmt.Errorf("%s: the chart asks for Kubernetes %s, the cluster is %s",
			path.Join(r.dir, ChartFile), constraint, r.caps.KubeVersion.Version)
	}
	values, err := r.renderValues()
	if err != nil {
		return execution{}, err
	}
	done := make(chan result, 1)
	go func() {
		limits := &guard{ctx: ctx}
		e := engine.Engine{CustomTemplateFuncs: limits.functions(now)}
		files, err := e.Render(r.guarded, values)
		if limits.fault != nil {
			err = limits.fault
		}
		done <- result{execution{files, limits.looked}, err}
	}()
	select {
	case <-ctx.Done():
		return execution{}, fmt.Errorf("%s: rendering was given up: %w", r.dir, context.Cause(ctx))
	case got := <-done:
		if errors.Is(got.err, context.Canceled) || errors.Is(got.err, context.DeadlineExceeded) {
			return execution{}, got.err
		}
		if got.err != nil {
			return execution{}, r.explain(got.err)
		}
		return got.execution, r.checkSize(got.files)
	}
}

// renderValues is made anew for every run, since templates can change it.
func (r *release) renderValues() (common.Values, error) {
	install := common.ReleaseOptions{
		Name: r.options.ReleaseName, Namespace: r.options.Namespace, Revision: 1, IsInstall: true,
	}
	values, err := commonutil.ToRenderValuesWithSchemaValidation(r.chart, r.values, install, r.caps, true)
	if err != nil {
		return nil, r.explain(err)
	}
	if merged, isValues := values["Values"].(common.Values); isValues && !r.validated {
		r.validated = true
		return values, r.validate(r.chart, r.dir, merged)
	}
	return values, nil
}

func (r *release) checkSize(files map[string]string) error {
	var size int64
	for _, text := range files {
		size += int64(len(text))
	}
	if size > r.limits.TotalBytes {
		return &tree.Error{Kind: tree.ErrTooLarge, Path: r.dir,
			Message: fmt.Sprintf("the chart renders %d bytes, more than the limit of %d", size, r.limits.TotalBytes)}
	}
	return nil
}

// place turns the name that the engine has for a template into a path.
func (r *release) place(template string) string {
	return path.Join(r.dir, strings.TrimPrefix(template, r.chart.Name()+"/"))
}

// guarded copies a chart, with templates that look at the limits as they run.
func guarded(c *v2.Chart) *v2.Chart {
	clone := *c
	clone.Templates = make([]*common.File, len(c.Templates))
	for i, template := range c.Templates {
		clone.Templates[i] = &common.File{Name: template.Name, Data: insertTicks(template.Name, template.Data)}
	}
	clone.SetDependencies()
	for _, inner := range c.Dependencies() {
		clone.AddDependency(guarded(inner))
	}
	return &clone
}
