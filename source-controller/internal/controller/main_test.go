// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"os"
	"testing"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/sshlink"
)

// TestMain lets git start the test binary in the place of ssh, and benchmarks
// start it as one of the sides that they compare.
func TestMain(m *testing.M) {
	if socket := os.Getenv(sshlink.Variable); socket != "" {
		if err := sshlink.Pipe(socket, os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	if side := os.Getenv(envSide); side != "" {
		if err := serveSide(side); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
