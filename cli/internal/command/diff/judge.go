// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/engine"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

var errElsewhere = errors.New("spec.destination.kubeConfig: the objects live in another cluster, " +
	"whose kubeconfig is the drift-controller's to read: holdfast get drift shows what it found there")

var errNoValues = errors.New("render.helm.valuesSourceRef: the values files come from a second source: " +
	"name a checkout of it with --local-values")

// judgeBy is the real Judge: all reads first, then the engine.
func judgeBy(flags *cluster.Flags, now func() time.Time) Judge {
	return func(ctx context.Context, name string, from Sources) (report.Preview, error) {
		c, err := flags.Connect()
		if err != nil {
			return report.Preview{}, err
		}
		app, err := c.Application(ctx, c.Namespace(), name)
		if err != nil {
			return report.Preview{}, err
		}
		if app.Spec.Destination.KubeConfig != nil {
			return report.Preview{}, errElsewhere
		}
		seen, err := observe.Connect(c.Config(), observe.Options{})
		if err != nil {
			return report.Preview{}, fmt.Errorf("connecting: %w", err)
		}
		r := run{cluster: c, app: app, now: now()}
		return r.judge(ctx, seen, from)
	}
}

// run is one diff.
type run struct {
	cluster *cluster.Cluster
	app     *v1alpha1.Application
	now     time.Time
}

func (r run) judge(ctx context.Context, seen *observe.Cluster, from Sources) (report.Preview, error) {
	in, err := r.published(ctx)
	if err != nil {
		return report.Preview{}, err
	}
	ignore, err := r.cluster.IgnoreOf(ctx, r.app)
	if err != nil {
		return report.Preview{}, err
	}
	tree, err := from.Open(ctx, r.app.Spec.Path, ignore)
	if err != nil {
		return report.Preview{}, err
	}
	defer tree.Close() //nolint:errcheck // a folder that was only read
	in.Files, in.Name = tree.Files, tree.Name
	if in.External, err = r.external(ctx, from); err != nil {
		return report.Preview{}, err
	}
	return engine.Judge(ctx, seen, in)
}

// published gathers what the drift-controller knows and the Project allows.
func (r run) published(ctx context.Context) (engine.Input, error) {
	in := engine.Input{Application: r.app, Now: r.now}
	var err error
	if in.Pages, err = r.cluster.DriftPages(ctx, r.app); err != nil {
		return in, err
	}
	if in.Inventory, err = r.cluster.InventoryPages(ctx, r.app); err != nil {
		return in, err
	}
	if r.app.Spec.Project != "" {
		in.Project, err = r.cluster.Project(ctx, r.app.Spec.Project)
	}
	return in, err
}

func (r run) external(ctx context.Context, from Sources) (out render.External, err error) {
	out, err = engine.ReadExternal(ctx, r.app.Spec.Render, func(ctx context.Context, kind, name string) (map[string][]byte, bool, error) {
		return r.cluster.Content(ctx, r.app.Namespace, kind, name)
	})
	spec := r.app.Spec.Render
	if err != nil || spec == nil || spec.Helm == nil || spec.Helm.ValuesSourceRef == nil {
		return out, err
	}
	out.ValuesFS, err = openValues(ctx, from)
	return out, err
}

// openValues opens the second source. Its own ignore rules hide nothing that a
// spec would name.
func openValues(ctx context.Context, from Sources) (fs.FS, error) {
	if from.OpenValues == nil {
		return nil, errNoValues
	}
	tree, err := from.OpenValues(ctx, ".", nil)
	return tree.Files, err
}
