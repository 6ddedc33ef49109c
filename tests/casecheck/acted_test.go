// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck_test

import (
	"context"
	"maps"
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
	all := loadAll(t)
	maps.DeleteFunc(all, func(_ string, c casefile.Case) bool { return !replay.Acts(c) || c.Expect.Drift == nil })
	if len(all) == 0 {
		t.Fatal("no case can be acted out: the commands of live-action.md are not found any more")
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
	t.Cleanup(runner.Close)
	runAll(t, all, func(ctx context.Context, c casefile.Case) ([]casecheck.Result, error) {
		result, err := runner.Act(ctx, c)
		return []casecheck.Result{result}, err
	})
}
