// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/mask"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/writers"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/replay"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/verdict"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// Way is one way of running a case.
type Way string

// The ways.
const (
	Replayed Way = "replayed" // live as recorded, judged with a dry run
	Recorded Way = "recorded" // the recorded objects, judged without one
	ReadOnly Way = "readonly" // live as recorded, seen by an account that may only read
	Twin     Way = "twin"     // a declared value changed by hand
	Acted    Way = "acted"    // live made anew by what happened
	Rendered Way = "rendered" // what a render gives
)

// ErrNotHere means that a case is about a part of the product that is not run here.
var ErrNotHere = errors.New("not run here")

// Options of a cluster for cases: nothing may move objects behind their back.
func Options() cluster.Options { return cluster.Options{Still: true} }

// Runner runs cases on one cluster. A case may be run there once.
type Runner struct {
	cluster *observe.Cluster
	reader  *observe.Cluster // the same, with no right but to read
	stage   *replay.Stage
	key     mask.Key
	writers writers.Catalogue
	now     time.Time
}

// New prepares a cluster that was started with Options.
func New(ctx context.Context, c *cluster.Cluster) (*Runner, error) {
	connected, err := observe.Connect(c.AdminConfig(), observe.Options{EvidenceAge: time.Nanosecond, AdmissionAge: time.Nanosecond})
	if err != nil {
		return nil, fmt.Errorf("cases: %w", err)
	}
	stage, err := replay.On(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("cases: %w", err)
	}
	blind, err := granted(ctx, c, connected)
	if err != nil {
		stage.Close()
		return nil, fmt.Errorf("cases: an account that may only read: %w", err)
	}
	return &Runner{
		cluster: connected, reader: blind, stage: stage, key: mask.Key("key of the case corpus"),
		writers: writers.BuiltIn(), now: time.Now(),
	}, nil
}

// Close stops what the runner has started beside the cluster.
func (r *Runner) Close() { r.stage.Close() }

// Result is what one way of running a case gave.
type Result struct {
	Way      Way
	Problems []verdict.Problem
	// Note says what was not looked at, or why the way does not apply.
	Note string
	// Report is what the product would publish, of the way that is replayed.
	Report []api.DriftEntry
}

// Run runs a case in the ways that apply to it. The error is ErrNotHere, or
// what kept the case from being run at all.
func (r *Runner) Run(ctx context.Context, c casefile.Case) ([]Result, error) {
	switch e := c.Expect; {
	case e.Kind == casefile.Source:
		return nil, fmt.Errorf("%w: kind source runs with a source-controller, in tests/conformance", ErrNotHere)
	case e.Kind == casefile.Secrets:
		return nil, fmt.Errorf("%w: kind secrets belongs to another controller", ErrNotHere)
	case c.Desired == nil && len(c.Inputs) == 0:
		return nil, errors.New("the case declares nothing: it needs a desired.yaml or a folder to render")
	case e.Drift == nil && e.Explained == nil && e.Render == nil && e.Plan == nil:
		return nil, errors.New("the case expects nothing: it needs drift, explained, render or plan")
	case e.Render == nil:
		return r.runLive(ctx, c)
	}
	rendered, failed := r.rendered(ctx, c)
	if failed || len(c.Live) == 0 {
		return []Result{rendered}, nil
	}
	results, err := r.runLive(ctx, c)
	return append([]Result{rendered}, results...), err
}

// runLive recreates the live state and judges it.
func (r *Runner) runLive(ctx context.Context, c casefile.Case) ([]Result, error) {
	if err := r.stage.State(ctx, c); err != nil {
		return nil, err
	}
	r.learn(c)
	seen, err := r.observe(ctx, c)
	if err != nil {
		return nil, err
	}
	results := []Result{r.replayed(c, seen), r.recorded(c, seen)}
	if c.Expect.Kind != casefile.Drift {
		return results, nil
	}
	readOnly, err := r.readOnly(ctx, c, seen)
	if err != nil {
		return nil, err
	}
	twin, err := r.twin(ctx, c, seen)
	if err != nil {
		return nil, err
	}
	return append(results, readOnly, twin), nil
}

// Act runs a case by what happened, on a cluster on which nothing was run.
func (r *Runner) Act(ctx context.Context, c casefile.Case) (Result, error) {
	if err := r.stage.Act(ctx, c); err != nil {
		return Result{}, err
	}
	r.learn(c)
	seen, err := r.observe(ctx, c)
	if err != nil {
		return Result{}, err
	}
	return Result{Way: Acted, Problems: r.check(c, r.outcome(seen, seen.judge(r)), verdict.Rigor{Reenacted: true})}, nil
}

// learn asks the server anew what kinds there are, where the case brought some:
// the controller is told by a watch.
func (r *Runner) learn(c casefile.Case) {
	for _, o := range slices.Concat(c.Setup, c.Later, c.Live, c.Desired) {
		if o.GetKind() == "CustomResourceDefinition" || o.GetKind() == "APIService" {
			r.cluster.Invalidate()
			return
		}
	}
}

// Record writes live.yaml of a case, from what its commands do on a cluster on
// which nothing was run.
func (r *Runner) Record(ctx context.Context, c casefile.Case) error {
	return r.stage.Record(ctx, c)
}

func (r *Runner) replayed(c casefile.Case, seen sight) Result {
	var notes []string
	for _, remark := range verdict.Unchecked(c.Expect) {
		notes = append(notes, "not checked: must not "+remark)
	}
	got := r.outcome(seen, seen.judge(r))
	return Result{
		Way: Replayed, Problems: r.check(c, got, verdict.Rigor{}), Note: strings.Join(notes, "; "), Report: got.Report(),
	}
}

func (r *Runner) check(c casefile.Case, got verdict.Outcome, rigor verdict.Rigor) []verdict.Problem {
	return slices.Concat(verdict.Check(c.Expect, got, rigor), verdict.CheckPlan(c.Expect, got), verdict.Words(got))
}
