// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package approve is "approve": let one plan of one Application run.
//
// In: the digest of a plan that somebody has read, and a reason. Out: an
// Approval. It refuses a digest that is not the present plan's, since that
// would approve what nobody has seen.
package approve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/writer"
)

// Options of the verb.
type Options struct {
	Name   string
	Plan   string
	By     string
	Reason string
	For    time.Duration

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = approve
	}
	cmd := &cobra.Command{
		Use:   "approve NAME --plan DIGEST --reason TEXT",
		Short: "Let the plan with this digest run",
		Long: `Let one plan of one application run: the one whose digest you have read in
holdfast plan. The digest covers the objects, so a plan that changes needs a new
approval. At least eight digits of it have to be given.`,
		Example: `  # Read it, then let it run
  holdfast plan users-api -n users
  holdfast approve users-api -n users --plan sha256:7d0e5a1f0c8b --reason "walked through it with the batch team"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Plan, "plan", "", "the digest of the plan (required)")
	cmd.Flags().StringVar(&o.Reason, "reason", "", "why, for those who look at it later (required)")
	cmd.Flags().StringVar(&o.By, "by", "", "who approves (default: who the API server takes you for)")
	cmd.Flags().DurationVar(&o.For, "for", 24*time.Hour, "how long the approval holds")
	return cmd
}

var errIncomplete = errors.New("give the plan's digest with --plan, as holdfast plan prints it, and a --reason")

func approve(ctx context.Context, o Options) error {
	if o.Plan == "" || strings.TrimSpace(o.Reason) == "" || o.For <= 0 {
		return errIncomplete
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	app, err := c.Application(ctx, c.Namespace(), o.Name)
	if err != nil {
		return err
	}
	kind, plan := report.WithDigest(app, o.Plan)
	if plan == nil {
		return &cluster.Fault{Kind: cluster.NotFound,
			What: fmt.Sprintf("Application %s/%s has no plan %s now", app.Namespace, app.Name, o.Plan),
			Next: fmt.Sprintf("It may have changed since you read it. Read the present one: holdfast plan %s -n %s", app.Name, app.Namespace)}
	}
	if kind == report.UndoPlan {
		return &cluster.Fault{Kind: cluster.Refused, What: "that is the plan of an undo",
			Next: fmt.Sprintf("Use holdfast undo %s -n %s --reason \"…\"", app.Name, app.Namespace)}
	}
	if plan.State != v1alpha1.PlanAwaitingApproval {
		return &cluster.Fault{Kind: cluster.Refused,
			What: fmt.Sprintf("the plan to %s is %s, so there is nothing to approve", kind, plan.State), Next: plan.Message}
	}
	return Store(ctx, c, o.Terminal, Approved{App: app, Kind: kind, Plan: plan, By: o.By, Reason: o.Reason, For: o.For})
}

// Approved is what somebody agreed to.
type Approved struct {
	App     *v1alpha1.Application
	Kind    report.PlanKind
	Plan    *v1alpha1.PlanStatus
	Objects []v1alpha1.KindSelector
	By      string
	Reason  string
	For     time.Duration
}

// Store writes the Approval and says what it lets happen.
func Store(ctx context.Context, c *cluster.Cluster, t terminal.Terminal, a Approved) error {
	w, err := writer.New(c)
	if err != nil {
		return err
	}
	if a.By == "" {
		if a.By, err = c.User(ctx); err != nil {
			return err
		}
	}
	approval := &v1alpha1.Approval{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.App.Namespace, GenerateName: a.App.Name + "-" + string(a.Kind) + "-"},
		Spec: v1alpha1.ApprovalSpec{
			Application: a.App.Name, Digest: a.Plan.Digest, Objects: a.Objects, By: a.By, Reason: a.Reason,
			Until: metav1.NewTime(t.Now().Add(a.For)),
		},
	}
	if err := w.Create(ctx, approval); err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "%s/%s: the plan to %s may run until %s (Approval %s)\n",
		a.App.Namespace, a.App.Name, a.Kind, t.Style.Date(approval.Spec.Until.Time), approval.Name)
	return nil
}
