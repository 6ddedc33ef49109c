// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/holdfast-gitops/holdfast/tests/casecheck"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/verdict"
)

func TestLines(t *testing.T) {
	var out strings.Builder
	tally := tally{out: &out}
	tally.add(line{name: "25-hpa"})
	tally.add(line{name: "54-renamed", notes: []string{"verdict only"}})
	tally.add(line{name: "42-key", wrong: []string{"replayed: got a\nb want c", "twin: got d want e"}})
	tally.add(line{name: "93-push", skip: "not run here: another controller"})
	if err := tally.close(); err == nil {
		t.Error("a wrong case must fail the run")
	}
	want := `right  25-hpa
right  54-renamed  verdict only
wrong  42-key  replayed: got a b want c; twin: got d want e
skip   93-push  not run here: another controller
2 right, 1 wrong, 1 not run here
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

// TestJudgeGoesOn: a case that cannot be read or run is wrong, and no end.
func TestJudgeGoesOn(t *testing.T) {
	dir := t.TempDir()
	if l := judge(t.Context(), nil, dir, nil); len(l.wrong) != 1 {
		t.Errorf("a folder without expect.yaml: %+v", l)
	}
	ways := map[string]struct {
		err            error
		wrong, skipped bool
	}{
		"broken": {err: errors.New("no server"), wrong: true},
		"others": {err: casecheck.ErrNotHere, skipped: true},
		"fine":   {},
	}
	for name, test := range ways {
		way := func(context.Context, *casecheck.Runner, casefile.Case) ([]casecheck.Result, error) {
			return nil, test.err
		}
		l := judge(t.Context(), nil, "../../cases/drift/02-deployment-unquoted-cpu-number", way)
		if (len(l.wrong) > 0) != test.wrong || (l.skip != "") != test.skipped {
			t.Errorf("%s: %+v", name, l)
		}
	}
	bad := func(context.Context, *casecheck.Runner, casefile.Case) ([]casecheck.Result, error) {
		return []casecheck.Result{{Way: casecheck.Replayed, Problems: []verdict.Problem{{Got: "a", Want: "b"}}}}, nil
	}
	if l := judge(t.Context(), nil, "../../cases/drift/02-deployment-unquoted-cpu-number", bad); len(l.wrong) != 1 {
		t.Errorf("a problem: %+v", l)
	}
}

func TestRunFailsOnNothing(t *testing.T) {
	for _, folders := range [][]string{nil, {t.TempDir()}} {
		if err := run(t.Context(), folders, check, false); !errors.Is(err, casefile.ErrNoCases) {
			t.Errorf("%v: %v", folders, err)
		}
	}
}
