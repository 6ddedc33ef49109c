// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package approvals is "get approvals", who let which plan run.
//
// In: the Approvals of a namespace or of all, and the plans of its
// Applications. Out: a line each. It never changes the cluster.
package approvals

import (
	"context"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/listing"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// New is the command.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error)) *cobra.Command {
	return listing.New(t, connect, listing.Noun{
		Use: "approvals", Plural: "approvals", Aliases: []string{"approval", "happrove"},
		Short: "Show approvals, and whether each still approves a plan",
		Long: `Show approvals, and whether each still approves a plan.

State Holds: the application has the plan now. NoSuchPlan: the plan changed or
ran, so the approval lets nothing run. Expired: its end has passed.`,
		Example: `  # Those of a namespace
  holdfast get approvals -n users`,
		Read: func(ctx context.Context, c *cluster.Cluster, namespace string) (report.Listing, error) {
			var all v1alpha1.ApprovalList
			if err := c.List(ctx, &all, client.InNamespace(namespace)); err != nil {
				return report.Listing{}, err
			}
			apps, err := c.Applications(ctx, namespace)
			return report.Approvals(all.Items, apps), err
		},
	})
}
