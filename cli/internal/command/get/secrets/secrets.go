// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package secrets is "get secrets", what is wrong with an Application's
// declared secrets.
//
// In: an Application and its SecretReport pages. Out: the screen, or the same
// for programs; with --exit-code also whether both verdicts pass. It never
// changes the cluster and never reads a Secret.
package secrets

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
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
	SecretPages(ctx context.Context, app *v1alpha1.Application) ([]secretsv1.SecretReport, error)
}

// Options of the verb.
type Options struct {
	Name     string
	ExitCode bool
	Format   screen.Format

	Connect  func() (Source, error)
	Terminal terminal.Terminal
}

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (Source, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = get
	}
	cmd := &cobra.Command{
		Use:     "secrets NAME",
		Short:   "Show what is wrong with the declared secrets of one application",
		Example: "  holdfast get secrets users-api -n users",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "exit with 1 if a verdict denies, with 2 if that cannot be told")
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
	pages, err := source.SecretPages(ctx, app)
	if err != nil {
		return err
	}
	r := report.NewSecrets(app, pages, o.Terminal.Now())
	if err := o.Terminal.Print(r, o.Format); err != nil || !o.ExitCode {
		return err
	}
	return exit.Of(r.Outcome())
}
