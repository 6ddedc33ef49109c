// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command comparison prints docs/comparison.md with what Holdfast says.
//
// Input: the document, whose table names a case or a scenario in each row.
// Output: the document with the column of Holdfast and its total written anew.
// Every case of the corpus is run on a control plane of its own first, and one
// that comes out wrong ends it: a cell is what a run has shown. What a scenario
// says is held by the scenario's own test. The columns of the others are left.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/holdfast-gitops/holdfast/tests/casecheck"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: comparison DOCUMENT, in the root of the checkout")
		stop()
		os.Exit(1)
	}
	text, err := measured(ctx, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "comparison:", err)
		stop()
		os.Exit(1)
	}
	fmt.Print(text)
}

// measured runs the corpus and gives the document that it proves.
func measured(ctx context.Context, document string) (string, error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return "", err
	}
	cases, err := corpus(".")
	if err != nil {
		return "", err
	}
	if err := prove(ctx, cases); err != nil {
		return "", err
	}
	return written(string(text), ".", cases)
}

// corpus loads the cases that the drift-controller must get right.
func corpus(root string) (map[string]casefile.Case, error) {
	dirs, err := casefile.Find(filepath.Join(root, "tests", "cases"))
	if err != nil {
		return nil, err
	}
	cases := map[string]casefile.Case{}
	for _, dir := range dirs {
		c, err := casefile.Load(dir)
		if err != nil {
			return nil, err
		}
		if c.Expect.Kind != casefile.Source && c.Expect.Kind != casefile.Secrets {
			cases[filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir)] = c
		}
	}
	return cases, nil
}

func prove(ctx context.Context, cases map[string]casefile.Case) (err error) {
	options := casecheck.Options()
	options.Binaries, options.Progress = os.Getenv(cluster.EnvBinaries), os.Stderr
	c, err := cluster.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	runner, err := casecheck.New(ctx, c)
	if err != nil {
		return err
	}
	defer runner.Close()
	for name, one := range cases {
		results, wrong := runner.Run(ctx, one)
		for _, r := range results {
			for _, problem := range r.Problems {
				wrong = errors.Join(wrong, fmt.Errorf("%s: %s", r.Way, problem))
			}
		}
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("case %s: %w", name, wrong))
		}
	}
	return err
}
