// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package binaries

import (
	"os/exec"
	"syscall"
)

// group gives the builder and all that it starts one process group, and ends
// the group when the context ends: `go run` passes no signal on.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}
