// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package check is "check": can Holdfast be installed here, and does it run.
//
// In: a cluster. Out: a list of answers, each with the next step. It never
// changes the cluster; what it may not read is Unknown.
package check

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Options of the verb.
type Options struct {
	// Pre only asks whether an install would work.
	Pre    bool
	Format screen.Format

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// ErrFailed says that a check did not pass; the list tells which.
var ErrFailed = errors.New("not everything is as it should be; see the lines above")

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = check
	}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check that the cluster can hold Holdfast, and that it runs",
		Long: `Check the version of the API server, your rights, other source-controllers, the
kinds, the controllers and the policy that holds observers to dry runs. --pre
leaves out what only an install has. Exit code 2 if a check failed or could not
be made.`,
		Example: `  # Before an install
  holdfast check --pre

  # Afterwards
  holdfast check`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.Pre, "pre", false, "only ask whether an install would work")
	output.Flag(cmd, &o.Format, screen.Plaintext, screen.JSON, screen.YAML)
	return cmd
}

func check(ctx context.Context, o Options) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	checks, err := Before(ctx, c)
	if err != nil {
		return err
	}
	if !o.Pre {
		checks = append(checks, after(ctx, c)...)
	}
	if err := o.Terminal.Print(checks, o.Format); err != nil {
		return err
	}
	if !checks.Passed() {
		return ErrFailed
	}
	return nil
}
