// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package casecheck_test

import (
	"context"
	"hash/fnv"
	"maps"
	"strings"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/casecheck"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/replay"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

// share is one in how many cases of noise is acted out here: each costs several
// starts of kubectl. All of them are by cases -act, and were when they were
// recorded.
const share = 5

// TestCasesActedOut makes the live state of cases that can be made by commands
// anew, on an API server of its own: what was recorded must be what this server
// does. Those handed over and those about Helm and the API server itself are
// all acted out.
func TestCasesActedOut(t *testing.T) {
	all := loadAll(t)
	maps.DeleteFunc(all, func(name string, c casefile.Case) bool {
		return !replay.Acts(c) || c.Expect.Drift == nil || !actedHere(name)
	})
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

func actedHere(name string) bool {
	switch family, _, _ := strings.Cut(name, "/"); family {
	case "drift", "helm", "server":
		return true
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name)) // a hash takes everything
	return sum.Sum32()%share == 0
}
