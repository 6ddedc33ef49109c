// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"context"
	"errors"
	"slices"

	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/verdict"
)

// runRender renders the folder of a case and compares; where the case has a
// live state as well, it is judged by that render.
func (r *Runner) runRender(ctx context.Context, c casefile.Case) ([]Result, error) {
	if c.Expect.Render == nil {
		return nil, errors.New("expect.yaml: kind render without render")
	}
	if len(c.Inputs) == 0 && c.Desired == nil {
		return nil, errNoObjects
	}
	got := r.renderOutcome(ctx, c)
	results := []Result{{Way: Rendered, Problems: verdict.CheckRender(*c.Expect.Render, got)}}
	if got.Err != nil || len(c.Live) == 0 {
		return results, nil
	}
	if err := r.stage.State(ctx, c); err != nil {
		return nil, err
	}
	r.cluster.Invalidate()
	seen, err := r.observe(ctx, c)
	if err != nil {
		return nil, err
	}
	return append(results, r.replayed(c, seen)), nil
}

func (r *Runner) renderOutcome(ctx context.Context, c casefile.Case) verdict.RenderOutcome {
	result, err := r.renderCase(ctx, c)
	out := verdict.RenderOutcome{Err: err, Warnings: slices.Concat(result.Notes, result.Incomplete)}
	for _, object := range result.Objects {
		out.Objects = append(out.Objects, verdict.RenderedObject{ID: object.ID(), Content: object.Object})
	}
	return out
}

func (r *Runner) renderCase(ctx context.Context, c casefile.Case) (render.Result, error) {
	if len(c.Inputs) == 0 {
		return r.renderFile(ctx, c)
	}
	return r.renderFolder(ctx, c, c.Inputs[0])
}
