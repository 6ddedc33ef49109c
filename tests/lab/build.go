// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/holdfast-gitops/holdfast/tests/holdfast"
)

// EnvControllers names a folder whose bin/ holds the controllers and the command
// line; they are then used as they are. Without it they are built from the checkout.
const EnvControllers = "HOLDFAST_TEST_CONTROLLERS"

var errNoRoot = errors.New("no go.work above the working directory: run the tests from a checkout")

// FindRoot is the folder of the checkout, from that of the package under test.
func FindRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the checkout: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errNoRoot
		}
		dir = above
	}
}

// programs are what is built, by the folder that each is the main package of.
var programs = map[string]string{
	holdfast.Source: holdfast.Source, holdfast.Drift: holdfast.Drift, holdfast.Secrets: holdfast.Secrets, "cli": "holdfast",
}

// CLI is the path of the command line that was built with the controllers.
func (l *Lab) CLI() string { return filepath.Join(l.built, "bin", "holdfast") }

// Build compiles the controllers and gives the folder that holds their bin/.
// It is one for each package that tests, since those run at the same time, and
// it is kept, since the go command leaves alone what is up to date.
func Build(ctx context.Context, root, name, tags string) (string, error) {
	if dir := os.Getenv(EnvControllers); dir != "" {
		return dir, nil
	}
	dir := filepath.Join(root, "bin", "tests", name)
	for folder, program := range programs {
		// The flags of the Makefile, so that what it compiled is not compiled
		// again; the revision would make every commit link anew.
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-tags="+tags,
			"-ldflags=-s -w -X main.version=tested", "-o", filepath.Join(dir, "bin", program), ".")
		cmd.Dir = filepath.Join(root, folder)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("building %s: %w\n%s", program, err, out)
		}
	}
	return dir, nil
}
