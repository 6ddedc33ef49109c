// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"context"
	"slices"

	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/verdict"
)

// rendered renders what Git has and compares; failed tells that there is no
// render to judge a live state by.
func (r *Runner) rendered(ctx context.Context, c casefile.Case) (result Result, failed bool) {
	result = Result{Way: Rendered}
	for _, one := range r.renderAll(ctx, c) {
		failed = failed || one.Err != nil
		result.Problems = append(result.Problems, verdict.CheckRender(*c.Expect.Render, one)...)
	}
	return result, failed
}

// renderAll renders every input: what is expected holds for each.
func (r *Runner) renderAll(ctx context.Context, c casefile.Case) []verdict.RenderOutcome {
	if len(c.Inputs) == 0 {
		return []verdict.RenderOutcome{outcomeOf(r.renderFile(ctx, c))}
	}
	var all []verdict.RenderOutcome
	for _, input := range c.Inputs {
		all = append(all, outcomeOf(r.renderFolder(ctx, c, input)))
	}
	return all
}

func outcomeOf(result render.Result, err error) verdict.RenderOutcome {
	out := verdict.RenderOutcome{Err: err, Warnings: slices.Concat(result.Notes, result.Incomplete)}
	for _, object := range result.Objects {
		out.Objects = append(out.Objects, verdict.RenderedObject{ID: object.ID(), Content: object.Object})
	}
	return out
}
