// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command holdfast shows and settles the drift between Git and a cluster.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/holdfast-gitops/holdfast/cli/internal/command"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// version is set by the linker.
var version = "dev"

func main() { os.Exit(run()) }

func run() int {
	// The client libraries log what they return as errors too; once is enough.
	klog.SetLogger(logr.Discard())
	ctrl.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return command.Execute(ctx, os.Args[1:], version, terminal.Of(os.Stdout, os.Stderr, os.Getenv))
}
