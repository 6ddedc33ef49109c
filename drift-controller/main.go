// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Command drift-controller compares live objects with what Git declares, field
// by field, and reports who changed what and since when.
package main

import (
	"errors"
	"fmt"
	"os"
	_ "time/tzdata" // windows name time zones, and the image has none

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/holdfast-gitops/holdfast/drift-controller/internal/controller"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/options"
)

// version is set by the linker.
var version = "dev"

func main() {
	opts, err := options.Parse(os.Args[1:], os.Environ())
	opts.Version = version
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err == nil {
		err = controller.Run(ctrl.SetupSignalHandler(), opts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "drift-controller:", err)
		os.Exit(1)
	}
}
