// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck_test

import (
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/casecheck"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/replay"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// TestCasesActedOut makes the live state of every case that can be made by
// commands anew, on an API server of its own: what was recorded must be what
// this server does.
func TestCasesActedOut(t *testing.T) {
	dirs, err := casefile.Find(corpus)
	if err != nil {
		t.Fatal(err)
	}
	own, err := cluster.Start(t.Context(), casecheck.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Stop(); err != nil {
			t.Error(err)
		}
	})
	runner, err := casecheck.New(t.Context(), own)
	if err != nil {
		t.Fatal(err)
	}
	acted := 0
	for _, dir := range dirs {
		c, err := casefile.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if !replay.Acts(c) || c.Expect.Drift == nil {
			continue
		}
		acted++
		t.Run(c.Name, func(t *testing.T) {
			result, err := runner.Act(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			report(t, result)
		})
	}
	if acted == 0 {
		t.Error("no case can be acted out: the commands of live-action.md are not found any more")
	}
}
