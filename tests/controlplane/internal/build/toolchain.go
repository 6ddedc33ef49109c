// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

var (
	// ErrNoGo means that there is no go command to build with.
	ErrNoGo = errors.New("the go command is not on the PATH; install Go (go.dev/dl) and run this again")
	// ErrModules means that the sources could not be fetched.
	ErrModules = errors.New("fetching the control plane's modules failed; the first build needs the Go module proxy: " +
		"check the network and `go env GOPROXY`, then run this again (what has been fetched is kept)")
	// ErrCompile means that the sources are there and do not build.
	ErrCompile = errors.New("building failed")
)

// compileFlags are spelled out, so that a user's GOFLAGS or the surrounding
// repository change nothing: same inputs, same binaries.
var compileFlags = []string{"-trimpath", "-buildvcs=false", "-mod=readonly"}

// toolchain runs the go command inside the module.
type toolchain struct {
	path    string
	module  string
	version string
}

func newToolchain(ctx context.Context, module string) (*toolchain, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGo, err)
	}
	t := &toolchain{path: path, module: module}
	var seen bytes.Buffer
	cmd := t.command(ctx, "env", "GOVERSION", "GOOS", "GOARCH")
	cmd.Stdout, cmd.Stderr = &seen, &seen
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w: %s", path, err, bytes.TrimSpace(seen.Bytes()))
	}
	t.version = strings.Join(strings.Fields(seen.String()), " ")
	return t, nil
}

func (t *toolchain) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.path, args...)
	cmd.Dir = t.module
	// The control plane is no part of the workspace: its versions must not
	// move ours, nor ours its.
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	// An interrupt lets the go command stop its compilers and keep its cache
	// whole; only a deaf one is killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// fetch loads every module that a command needs, and no other: the module
// graph names many more than the commands import.
func (t *toolchain) fetch(ctx context.Context, p Plan, o *output) error {
	args := []string{"list", "-deps", "-mod=readonly", "-f", "{{.ImportPath}}"}
	for _, c := range append(append([]Command{}, p.Commands...), p.Files...) {
		args = append(args, c.Package)
	}
	cmd := t.command(ctx, args...)
	cmd.Stdout, cmd.Stderr = io.Discard, o
	return o.explain(ctx, cmd.Run(), ErrModules)
}

// linkerFlags strips the binaries and gives them the release's version.
func (t *toolchain) linkerFlags(ctx context.Context, p Plan) (string, error) {
	flags := []string{"-s", "-w"}
	if p.Release == "" {
		return strings.Join(flags, " "), nil
	}
	out, err := t.command(ctx, "list", "-m", "-f", "{{.Version}}", p.Release).Output()
	if err != nil {
		return "", fmt.Errorf("reading the version of module %s: %w", p.Release, err)
	}
	version := strings.TrimSpace(string(out))
	number := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(number) != 3 {
		return "", fmt.Errorf("module %s has version %q, want vMAJOR.MINOR.PATCH: pin a release in go.mod", p.Release, version)
	}
	for _, pkg := range p.Versions {
		flags = append(flags,
			"-X", pkg+".gitVersion="+version, "-X", pkg+".gitMajor="+number[0], "-X", pkg+".gitMinor="+number[1],
			"-X", pkg+".gitTreeState=clean")
	}
	return strings.Join(flags, " "), nil
}

func (t *toolchain) compile(ctx context.Context, c Command, linker, target string, o *output) error {
	args := append([]string{"build", "-v"}, compileFlags...)
	cmd := t.command(ctx, append(args, "-ldflags", linker, "-o", target, c.Package)...)
	cmd.Stdout, cmd.Stderr = o, o
	return o.explain(ctx, cmd.Run(), ErrCompile)
}

// print runs a command and keeps what it says as a file.
func (t *toolchain) print(ctx context.Context, c Command, target string, o *output) error {
	file, err := os.Create(target)
	if err != nil {
		return fmt.Errorf("making %s: %w", c.Name, err)
	}
	cmd := t.command(ctx, append(append([]string{"run"}, compileFlags...), c.Package)...)
	cmd.Stdout, cmd.Stderr = file, o
	err = o.explain(ctx, cmd.Run(), ErrCompile)
	return errors.Join(err, file.Close())
}
