// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package emergencies is "get breakglass", the emergencies and what they leave behind.
//
// In: the BreakGlasses of a namespace or of all, and the Applications, which
// hold for those that are gone. Out: a line each. It never
// changes the cluster.
package emergencies

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
		Use: "breakglass", Plural: "emergencies", Aliases: []string{"breakglasses", "hbg"},
		Short: "Show emergencies: until when, and which edits are not in Git yet",
		Example: `  # Those of every namespace
  holdfast get breakglass -A

  # The edits themselves
  holdfast get breakglass pgbouncer-failover -n users -o yaml`,
		Read: func(ctx context.Context, c *cluster.Cluster, namespace string) (report.Listing, error) {
			var all v1alpha1.BreakGlassList
			if err := c.List(ctx, &all, client.InNamespace(namespace)); err != nil {
				return report.Listing{}, err
			}
			var apps v1alpha1.ApplicationList // some hold for an emergency that is gone
			err := c.List(ctx, &apps, client.InNamespace(namespace))
			return report.Emergencies(all.Items, apps.Items), err
		},
	})
}
