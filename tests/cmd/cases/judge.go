// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/tests/casecheck"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
)

// way is what is done with a case.
type way func(ctx context.Context, runner *casecheck.Runner, c casefile.Case) ([]casecheck.Result, error)

func check(ctx context.Context, runner *casecheck.Runner, c casefile.Case) ([]casecheck.Result, error) {
	return runner.Run(ctx, c)
}

func actCase(ctx context.Context, runner *casecheck.Runner, c casefile.Case) ([]casecheck.Result, error) {
	result, err := runner.Act(ctx, c)
	return []casecheck.Result{result}, err
}

func recordCase(ctx context.Context, runner *casecheck.Runner, c casefile.Case) ([]casecheck.Result, error) {
	return nil, runner.Record(ctx, c)
}

// line is the outcome of one case.
type line struct {
	name  string
	skip  string   // why it is not run here
	wrong []string // got and want of each problem
	notes []string
	// report is what the product publishes of the case.
	report []api.DriftEntry
}

// judge never gives up on the other cases: one that cannot be read or run is
// wrong, with the reason.
func judge(ctx context.Context, runner *casecheck.Runner, dir string, way way) line {
	l := line{name: filepath.Base(dir)}
	c, err := casefile.Load(dir)
	var results []casecheck.Result
	if err == nil {
		results, err = way(ctx, runner, c)
	}
	switch {
	case errors.Is(err, casecheck.ErrNotHere):
		l.skip = err.Error()
	case err != nil:
		l.wrong = append(l.wrong, fmt.Sprintf("got error %v want a run", err))
	}
	for _, result := range results {
		l.report = append(l.report, result.Report...)
		for _, problem := range result.Problems {
			l.wrong = append(l.wrong, fmt.Sprintf("%s: %s", result.Way, problem))
		}
		if result.Note != "" && result.Way != casecheck.Twin {
			l.notes = append(l.notes, result.Note)
		}
	}
	return l
}

// tally prints lines and counts them.
type tally struct {
	out                   io.Writer
	right, wrong, skipped int
	show                  bool
}

func (t *tally) add(l line) {
	word, text := "right", strings.Join(l.notes, "; ")
	switch {
	case l.skip != "":
		t.skipped++
		word, text = "skip", l.skip
	case len(l.wrong) > 0:
		t.wrong++
		word, text = "wrong", strings.Join(l.wrong, "; ")
	default:
		t.right++
	}
	text = strings.ReplaceAll(text, "\n", " ")
	fmt.Fprintln(t.out, strings.TrimRight(fmt.Sprintf("%-5s  %s  %s", word, l.name, text), " "))
	if t.show {
		for _, e := range l.report {
			t.entry(e)
		}
	}
}

// entry prints what a reader of the report gets to see.
func (t *tally) entry(e api.DriftEntry) {
	value := func(v *api.Value) string {
		switch {
		case v == nil:
			return "-"
		case v.Masked:
			return "(masked)"
		}
		return v.JSON
	}
	fmt.Fprintf(t.out, "       %s %s %s/%s %s\n", e.Class, e.Object.Kind, e.Object.Namespace, e.Object.Name, e.Path)
	fmt.Fprintf(t.out, "         want %s  have %s  drift %v\n         why: %s\n", value(e.Wanted), value(e.Live), e.Drift, e.Explanation)
	for _, m := range e.Managers {
		fmt.Fprintf(t.out, "         by: %s %s %s %s at %v\n", m.Name, m.Operation, m.Subresource, m.Role, m.LastWrite)
	}
	fmt.Fprintf(t.out, "         next: %s\n         %s: %s\n", e.Next, e.SuggestionKind, strings.ReplaceAll(e.Suggestion, "\n", "\n           "))
}

// close prints the count; anything wrong is an error, and so is nothing right.
func (t *tally) close() error {
	fmt.Fprintf(t.out, "%d right, %d wrong", t.right, t.wrong)
	if t.skipped > 0 {
		fmt.Fprintf(t.out, ", %d not run here", t.skipped)
	}
	fmt.Fprintln(t.out)
	if t.wrong > 0 {
		return fmt.Errorf("%d cases are wrong", t.wrong)
	}
	return nil
}
