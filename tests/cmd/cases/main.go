// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command cases judges folders of cases on a control plane of its own.
//
// Input: folders, each a case or a tree of cases as tests/cases/README.md
// describes them. Output: a line a case, `right` or `wrong` with got and want,
// or `skip` with the reason where a case is about another controller; and a
// closing count. It fails if any case is wrong, and if there is none.
//
// With -record it runs the commands of live-action.md instead and writes what
// is live then to live.yaml. With -show it prints each entry of the report, for
// somebody who reads whether it can be understood.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/holdfast-gitops/holdfast/tests/casecheck"
	"github.com/holdfast-gitops/holdfast/tests/casecheck/casefile"
	"github.com/holdfast-gitops/holdfast/tests/cluster"
)

func main() {
	record := flag.Bool("record", false, "write live.yaml of the cases, from what their commands do")
	show := flag.Bool("show", false, "print what the product reports of each case, too")
	act := flag.Bool("act", false, "make the live state with the commands of live-action.md instead of recreating it")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: cases [-act | -record] [-show] FOLDER ...")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	way := check
	switch {
	case *record:
		way = recordCase
	case *act:
		way = actCase
	}
	if err := run(ctx, flag.Args(), way, *show); err != nil {
		fmt.Fprintln(os.Stderr, "cases:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, folders []string, way way, show bool) (err error) {
	dirs, err := find(folders)
	if err != nil {
		return err
	}
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
	t := tally{out: os.Stdout, show: show}
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t.add(judge(ctx, runner, dir, way))
	}
	return t.close()
}

func find(folders []string) ([]string, error) {
	if len(folders) == 0 {
		return nil, casefile.ErrNoCases
	}
	var dirs []string
	for _, folder := range folders {
		found, err := casefile.Find(folder)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, found...)
	}
	return dirs, nil
}
