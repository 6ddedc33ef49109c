// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/casecheck"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// corpus is the folder that is committed with the project.
const corpus = "../cases"

// atOnce is how many cases run on one API server at the same time: each has a
// namespace of its own, and most of the time waits for the server.
const atOnce = 6

func TestMain(m *testing.M) { cluster.Main(m, casecheck.Options()) }

// TestCases runs every case of the corpus as recorded, without a dry run, and
// with a value changed by hand, all on one API server.
func TestCases(t *testing.T) {
	runner, err := casecheck.New(t.Context(), cluster.Get(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(runner.Close)
	runAll(t, loadAll(t), runner.Run)
}

// loadAll reads the corpus by folder.
func loadAll(t *testing.T) map[string]casefile.Case {
	t.Helper()
	dirs, err := casefile.Find(corpus)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]casefile.Case{}
	for _, dir := range dirs {
		c, err := casefile.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Join(filepath.Base(filepath.Dir(dir)), filepath.Base(dir))] = c
	}
	return all
}

// runAll runs cases side by side, each as a test of its own.
func runAll(t *testing.T, all map[string]casefile.Case, run func(context.Context, casefile.Case) ([]casecheck.Result, error)) {
	t.Helper()
	free := make(chan struct{}, atOnce)
	var done sync.WaitGroup
	for name, c := range all {
		done.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			t.Run(name, func(t *testing.T) {
				results, err := run(t.Context(), c)
				if errors.Is(err, casecheck.ErrNotHere) {
					t.Log(err)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				report(t, results...)
				caught(t, c, results)
			})
		})
	}
	done.Wait()
}

// caught: a case in which nothing may be reported has a twin in which something
// is, or else the case would pass with a rule that explains everything.
func caught(t *testing.T, c casefile.Case, results []casecheck.Result) {
	t.Helper()
	quiet := c.Expect.Kind == casefile.Drift && c.Expect.Drift != nil && len(*c.Expect.Drift) == 0
	for _, result := range results {
		if quiet && result.Way == casecheck.Twin && strings.HasPrefix(result.Note, "no twin") {
			t.Errorf("nothing is drift here, and %s", result.Note)
		}
	}
}

func report(t *testing.T, results ...casecheck.Result) {
	t.Helper()
	for _, result := range results {
		if result.Note != "" {
			t.Logf("%s: %s", result.Way, result.Note)
		}
		for _, problem := range result.Problems {
			t.Errorf("%s: %s", result.Way, problem)
		}
	}
}
