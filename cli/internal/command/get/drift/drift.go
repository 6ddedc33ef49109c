// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package drift is "get drift", everything about one Application that differs.
//
// In: an Application and its DriftReport pages. Out: the screen, or the same
// for programs; with --exit-code also whether anything differs. It never
// changes the cluster.
package drift

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/exit"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Source of an Application and its pages.
type Source interface {
	Namespace() string
	Application(ctx context.Context, namespace, name string) (*v1alpha1.Application, error)
	DriftPages(ctx context.Context, app *v1alpha1.Application) ([]v1alpha1.DriftReport, error)
}

// Options of the verb.
type Options struct {
	Name string
	// Explained prints what does not count entry by entry too.
	Explained bool
	ExitCode  bool
	Format    screen.Format

	Connect  func() (Source, error)
	Terminal terminal.Terminal
}

const examples = `  # What differs, who wrote it, since when, what reads it, what happens next
  holdfast get drift users-api -n users

  # Every entry for a program
  holdfast get drift users-api -n users -o json

  # In a script: 0 in sync, 1 differences, 2 cannot tell
  holdfast get drift users-api -n users --exit-code`

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (Source, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = get
	}
	cmd := &cobra.Command{
		Use:   "drift NAME",
		Short: "Show every difference of one application",
		Long: `Show every difference of one application.

"last write" is the last write of that field manager to the object, which need
not be the write of this field: the API server records no more. Times are in
the local time zone. Secret values are shown as digests that tell whether they
changed. Long values are cut around the place where the two sides part;
-o json and -o yaml give them as the controller kept them.`,
		Example: examples,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.Explained, "explained", false, "list what does not count as drift entry by entry")
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "exit with 1 if anything differs, with 2 if that cannot be told")
	output.Flag(cmd, &o.Format, screen.Table, screen.JSON, screen.YAML, screen.Name)
	return cmd
}

func get(ctx context.Context, o Options) error {
	source, err := o.Connect()
	if err != nil {
		return err
	}
	app, err := source.Application(ctx, source.Namespace(), o.Name)
	if err != nil {
		return err
	}
	pages, err := source.DriftPages(ctx, app)
	if err != nil {
		return err
	}
	d := report.NewDrift(app, pages, o.Terminal.Now())
	d.Explained = o.Explained
	if err := o.Terminal.Print(d, o.Format); err != nil || !o.ExitCode {
		return err
	}
	return exit.Of(d.Outcome())
}
