// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package version is "version".
//
// In: what the linker and the Go toolchain wrote into the binary. Out: one
// line, or the same for programs. Only with --server it asks the cluster; it
// never reads a kubeconfig otherwise.
package version

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Server tells the versions of a cluster.
type Server interface {
	Versions(ctx context.Context) (cluster.Versions, error)
}

// Options of the verb.
type Options struct {
	// Release is the version of this binary.
	Release string
	// Server also asks the cluster.
	Server bool
	Format screen.Format

	Connect  func() (Server, error)
	Terminal terminal.Terminal
}

// New is the command; tests pass a run of their own to see the options.
func New(release string, t terminal.Terminal, flags *cluster.Flags, run func(context.Context, Options) error) *cobra.Command {
	o := Options{Release: release, Terminal: t, Connect: func() (Server, error) { return flags.Connect() }}
	if run == nil {
		run = show
	}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version of this binary, and of the cluster with --server",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.Server, "server", false, "also ask the cluster for its version and for Holdfast's API groups")
	output.Flag(cmd, &o.Format, screen.Table, screen.JSON, screen.YAML)
	return cmd
}

func show(ctx context.Context, o Options) error {
	v := versions{Client: client(o.Release)}
	if !o.Server {
		return o.Terminal.Print(v, o.Format)
	}
	server, err := o.Connect()
	if err != nil {
		return err
	}
	found, err := server.Versions(ctx)
	if err != nil {
		return err
	}
	v.Server = &serverVersion{Kubernetes: found.Kubernetes, Groups: found.Groups}
	return o.Terminal.Print(v, o.Format)
}

// client reads what the toolchain knows; a binary that was built without
// version control has no commit.
func client(release string) clientVersion {
	c := clientVersion{Version: release, Go: runtime.Version(), Platform: fmt.Sprintf("%s/%s", runtime.GOOS, runtime.GOARCH)}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return c
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			c.Commit = s.Value
		case "vcs.modified":
			c.Modified = s.Value == "true"
		}
	}
	return c
}
