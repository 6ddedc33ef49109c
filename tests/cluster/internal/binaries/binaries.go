// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Files that a finished build holds.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
	KwokStages        = "kwok-stages.yaml"
	Kubectl           = "kubectl"
)

// Required are the names of all of them.
var Required = []string{Etcd, APIServer, ControllerManager, Scheduler, Kwok, KwokStages, Kubectl}

// ErrIncomplete means that a folder the caller named lacks files.
var ErrIncomplete = errors.New("the folder of binaries is incomplete")

// ErrNoRoot means that we do not run inside a checkout of the project.
var ErrNoRoot = errors.New("no go.work in this folder or any above it; run inside a checkout of the project or name a folder of binaries")

// Check tells whether a folder that somebody else filled has what we need.
func Check(folder string) error {
	var missing []string
	for _, name := range Required {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: %s has no %s; build it with `go run ./cmd/build -out %s` in tests/controlplane",
			ErrIncomplete, folder, strings.Join(missing, ", "), folder)
	}
	return nil
}

// Build returns bin/k8s of the checkout that contains the folder from. The
// builder decides whether there is anything to do, and reports to log.
func Build(ctx context.Context, from string, log io.Writer) (string, error) {
	root, err := Root(from)
	if err != nil {
		return "", err
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("the control plane's builder needs the go command on the PATH: %w", err)
	}
	out := filepath.Join(root, "bin", "k8s")
	cmd := exec.CommandContext(ctx, tool, "run", "./cmd/build", "-out", out)
	cmd.Dir = filepath.Join(root, "tests", "controlplane")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stdout, cmd.Stderr = log, log
	group(cmd)
	// The builder interrupts its compilers in turn; it gets the time to.
	cmd.WaitDelay = 20 * time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building the control plane into %s (its output is above): %w", out, err)
	}
	return out, Check(out)
}

// Root is the folder of the go.work that governs the folder from.
func Root(from string) (string, error) {
	folder, err := filepath.Abs(from)
	if err != nil {
		return "", fmt.Errorf("finding the checkout: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.work")); err == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", fmt.Errorf("%w (started in %s)", ErrNoRoot, from)
		}
		folder = parent
	}
}
