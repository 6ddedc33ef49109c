// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command source-controller fetches sources and serves their artifacts.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/controller"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/options"
	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
)

// version is set by the linker.
var version = "dev"

func main() {
	// Git starts this program in the place of ssh, with arguments of its own.
	if socket := os.Getenv(sshlink.Variable); socket != "" {
		if err := sshlink.Pipe(socket, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "source-controller:", err)
			os.Exit(1)
		}
		return
	}
	opts, err := options.Parse(os.Args[1:], os.Environ())
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err == nil {
		opts.Version = version
		err = controller.Run(ctrl.SetupSignalHandler(), opts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "source-controller:", err)
		os.Exit(1)
	}
}
