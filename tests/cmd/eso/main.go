// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command eso holds the rules about the status of an ExternalSecret against the
// External Secrets Operator itself, whose binary is given by path.
//
// Input: the binary, the folder of its CRDs and further flags of it. Output: a
// line for each way in which a delivery can end, `right` or `wrong` with what
// the operator wrote and what the rules make of it. It fails if a line is wrong.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/holdfast-gitops/holdfast/tests/operator"
)

func main() {
	var o operator.Options
	flag.StringVar(&o.Operator, "operator", "", "path of the operator's binary")
	flag.StringVar(&o.Kinds, "kinds", "secrets-controller/schema/crd", "folder of its CRDs")
	flag.Parse()
	o.Args = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "eso:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o operator.Options) error {
	if _, err := os.Stat(o.Operator); err != nil {
		return fmt.Errorf("the operator: %w: give the path of its binary with -operator", err)
	}
	dir, err := os.MkdirTemp("", "holdfast-eso-")
	if err != nil {
		return err
	}
	o.Dir = dir
	lines, err := operator.Play(ctx, o)
	wrong := 0
	for _, line := range lines {
		fmt.Println(line)
		if !line.Right() {
			wrong++
		}
	}
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d of %d rows are otherwise than expected", wrong, len(lines))
	}
	if err != nil {
		return fmt.Errorf("%w (logs in %s)", err, dir)
	}
	return os.RemoveAll(dir)
}
