// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck_test

import (
	"errors"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/casecheck"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// corpus is the folder that is committed with the project.
const corpus = "../cases"

func TestMain(m *testing.M) { cluster.Main(m, casecheck.Options()) }

// TestCases runs every case of the corpus as recorded, without a dry run, and
// with a value changed by hand, all on one API server.
func TestCases(t *testing.T) {
	dirs, err := casefile.Find(corpus)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := casecheck.New(t.Context(), cluster.Get(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		c, err := casefile.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			results, err := runner.Run(t.Context(), c)
			if errors.Is(err, casecheck.ErrNotHere) {
				t.Log(err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			report(t, results...)
		})
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
