// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rollouts is "get rollouts", how far the StageRollouts have come.
//
// In: the StageRollouts. Out: a line each. It never changes the cluster.
package rollouts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/listing"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// New is the command.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error)) *cobra.Command {
	return listing.New(t, connect, listing.Noun{
		Use: "rollouts", Plural: "rollouts", Aliases: []string{"rollout", "stagerollouts", "hroll"}, Unscoped: true,
		Short: "Show StageRollouts and how many applications are at their target",
		Example: `  # Every rollout
  holdfast get rollouts

  # What holds each application back stands with the application
  holdfast get applications -A -o wide`,
		Read: func(ctx context.Context, c *cluster.Cluster, _ string) (report.Listing, error) {
			var all v1alpha1.StageRolloutList
			err := c.List(ctx, &all)
			return report.Rollouts(all.Items), err
		},
	})
}
