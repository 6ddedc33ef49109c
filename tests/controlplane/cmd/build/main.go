// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command build makes the binaries of the embedded control plane, once.
//
// Input: the module tests/controlplane (the working directory, or -module).
// Output: a folder of executables, kwok's stages and a stamp (-out). A second
// run finds the stamp and ends at once. It needs Go and, the first time, the
// Go module proxy. It never touches anything but the output folder, its two
// dot-named siblings (lock and work folder) and Go's own caches.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/holdfast-gitops/holdfast/tests/controlplane/internal/build"
)

func main() {
	module := flag.String("module", ".", "folder of the module tests/controlplane")
	out := flag.String("out", "../../bin/k8s", "folder that receives the binaries")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := build.Run(ctx, build.ControlPlane(*module, *out), os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "control plane:", err)
		os.Exit(1)
	}
}
