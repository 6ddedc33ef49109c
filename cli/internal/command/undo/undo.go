// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package undo is "undo": bring back what Prune deleted lately.
//
// In: an Application, perhaps some of the objects, and a reason. Out: what can
// be brought back, or an Approval of that plan. The drift-controller does the
// rest, from the renders that it kept.
package undo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/approve"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Options of the verb.
type Options struct {
	Name    string
	Objects []string
	Reason  string
	By      string
	For     time.Duration

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = undo
	}
	cmd := &cobra.Command{
		Use:   "undo NAME",
		Short: "Bring back what was pruned lately",
		Long: `Show what was pruned lately and can be brought back; with --reason, bring it back.
The drift-controller makes the objects again from the renders that it kept on its
volume. They are new objects with the old names: what lived in their status, and
Secrets that were made elsewhere, does not return. Git still does not declare
them, so that they show as Removed until it does.`,
		Example: `  # What can be brought back
  holdfast undo users-api -n users

  # Bring one of them back
  holdfast undo users-api -n users --object ConfigMap/users-api-flags --reason "still read by the batch"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringSliceVar(&o.Objects, "object", nil, "only this object, as KIND/NAME; may be repeated")
	cmd.Flags().StringVar(&o.Reason, "reason", "", "why; without it nothing is brought back")
	cmd.Flags().StringVar(&o.By, "by", "", "who asks (default: who the API server takes you for)")
	cmd.Flags().DurationVar(&o.For, "for", time.Hour, "how long the request holds")
	return cmd
}

func undo(ctx context.Context, o Options) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	app, err := c.Application(ctx, c.Namespace(), o.Name)
	if err != nil {
		return err
	}
	plan := report.Plan(app, report.UndoPlan)
	if plan == nil || plan.State == v1alpha1.PlanEmpty {
		return &cluster.Fault{Kind: cluster.NotFound,
			What: fmt.Sprintf("nothing of %s/%s can be brought back", app.Namespace, app.Name),
			Next: "Nothing was pruned lately, or the renders that declared it are no longer kept. A revert in Git restores objects too."}
	}
	scope, err := selectors(o.Objects, plan)
	if err != nil {
		return err
	}
	if strings.TrimSpace(o.Reason) == "" {
		pages, err := c.InventoryPages(ctx, app)
		if err != nil {
			return err
		}
		return o.Terminal.Print(report.NewPlans(app, pages, []report.PlanKind{report.UndoPlan}, o.Terminal.Now()), screen.Plaintext)
	}
	if plan.State == v1alpha1.PlanRefused {
		return &cluster.Fault{Kind: cluster.Refused, What: "the undo is refused: " + plan.Message}
	}
	return approve.Store(ctx, c, o.Terminal, approve.Approved{
		App: app, Kind: report.UndoPlan, Plan: plan, Objects: scope, By: o.By, Reason: o.Reason, For: o.For,
	})
}

// selectors reads the objects, and refuses one that the plan surely lacks: it
// lists at most its first twenty.
func selectors(objects []string, plan *v1alpha1.PlanStatus) ([]v1alpha1.KindSelector, error) {
	var all []v1alpha1.KindSelector
	for _, o := range objects {
		kind, name, found := strings.Cut(o, "/")
		if !found || kind == "" || name == "" {
			return nil, fmt.Errorf("--object %q: write KIND/NAME, as in ConfigMap/users-api-flags", o)
		}
		known := slices.ContainsFunc(plan.Objects, func(title string) bool {
			return strings.Contains(strings.ToLower(title), strings.ToLower(kind)) && strings.Contains(title, name)
		})
		if !known && int(plan.Actions) <= len(plan.Objects) {
			return nil, fmt.Errorf("%s is not among what can be brought back: %s", o, strings.Join(plan.Objects, ", "))
		}
		all = append(all, v1alpha1.KindSelector{Group: "*", Kind: kind, Name: name})
	}
	return all, nil
}
