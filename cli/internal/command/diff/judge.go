// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"context"
	"time"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/engine"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
)

// judgeBy is the real Judge: all reads first, then the engine.
func judgeBy(flags *cluster.Flags, now func() time.Time) Judge {
	return func(ctx context.Context, o Options) (report.Preview, error) {
		c, err := flags.Connect()
		if err != nil {
			return report.Preview{}, err
		}
		if o.reported() {
			return published(ctx, c, o.Name, now())
		}
		local := o.Local
		if local == "" {
			local = "."
		}
		s, err := engine.Start(ctx, c, o.Name, engine.Folders(local, o.Revision, o.LocalValues), now())
		if err != nil {
			return report.Preview{}, err
		}
		defer s.Close() //nolint:errcheck // folders that were only read
		return engine.Judge(ctx, s.Cluster, s.Input)
	}
}

// published is the cluster's own report, as a preview of its revision.
func published(ctx context.Context, c *cluster.Cluster, name string, now time.Time) (report.Preview, error) {
	app, err := c.Application(ctx, c.Namespace(), name)
	if err != nil {
		return report.Preview{}, err
	}
	pages, err := c.DriftPages(ctx, app)
	if err != nil {
		return report.Preview{}, err
	}
	return report.Published(app, pages, now), nil
}
