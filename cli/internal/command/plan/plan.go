// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package plan is "plan": what the drift-controller is about to do to one
// Application, and what waits for an approval.
//
// In: an Application and its inventory. Out: its published plans as one
// screen. It never changes the cluster and makes no plan of its own.
package plan

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Source of an Application and its inventory.
type Source interface {
	Namespace() string
	Application(ctx context.Context, namespace, name string) (*v1alpha1.Application, error)
	InventoryPages(ctx context.Context, app *v1alpha1.Application) ([]v1alpha1.Inventory, error)
}

// Options of the verb.
type Options struct {
	Name   string
	Stage  string
	Format screen.Format

	Connect  func() (Source, error)
	Terminal terminal.Terminal
}

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (Source, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = show
	}
	cmd := &cobra.Command{
		Use:   "plan NAME",
		Short: "Show what would be healed, deleted or brought back, and what waits for an approval",
		Long: `Show the plans of one application: what would be healed, what would be deleted
and when, what can be brought back, and what each waits for. They are the
drift-controller's own plans, as it publishes them at the stage in effect; what a
higher stage would meet is told by holdfast stage.`,
		Example: `  # Everything that is planned
  holdfast plan users-api -n users

  # Only the deletions
  holdfast plan users-api -n users --stage Prune`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Stage, "stage", "", "only what this stage adds: SelfHeal or Prune")
	output.Flag(cmd, &o.Format, screen.Plaintext, screen.JSON, screen.YAML, screen.Name)
	return cmd
}

func show(ctx context.Context, o Options) error {
	kinds, err := kindsOf(o.Stage)
	if err != nil {
		return err
	}
	source, err := o.Connect()
	if err != nil {
		return err
	}
	app, err := source.Application(ctx, source.Namespace(), o.Name)
	if err != nil {
		return err
	}
	pages, err := source.InventoryPages(ctx, app)
	if err != nil {
		return err
	}
	return o.Terminal.Print(report.NewPlans(app, pages, kinds, o.Terminal.Now()), o.Format)
}

func kindsOf(stage string) ([]report.PlanKind, error) {
	switch v1alpha1.Stage(stage) {
	case "":
		return []report.PlanKind{report.HealPlan, report.PrunePlan, report.UndoPlan}, nil
	case v1alpha1.StageSelfHeal:
		return []report.PlanKind{report.HealPlan}, nil
	case v1alpha1.StagePrune:
		return []report.PlanKind{report.PrunePlan, report.UndoPlan}, nil
	default:
		return nil, fmt.Errorf("--stage %q has no plan of its own: SelfHeal and Prune have", stage)
	}
}
