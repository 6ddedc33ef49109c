// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package binaries

import "os/exec"

// group leaves the command alone: without process groups its own end must do.
func group(*exec.Cmd) {}
