// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sources is "get sources", where manifests come from.
//
// In: the Git and OCI repositories of a namespace or of all. Out: a line each.
// It never changes the cluster.
package sources

import (
	"context"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/listing"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// New is the command.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error)) *cobra.Command {
	return listing.New(t, connect, listing.Noun{
		Use: "sources", Plural: "sources", Aliases: []string{"source", "src"},
		Short: "Show Git and OCI repositories with what was fetched last",
		Example: `  # Every source of the cluster
  holdfast get sources -A

  # With the address of each
  holdfast get sources -n holdfast-system -o wide`,
		Read: func(ctx context.Context, c *cluster.Cluster, namespace string) (report.Listing, error) {
			var git sourcev1.GitRepositoryList
			if err := c.List(ctx, &git, client.InNamespace(namespace)); err != nil {
				return report.Listing{}, err
			}
			var oci sourcev1.OCIRepositoryList
			if err := c.List(ctx, &oci, client.InNamespace(namespace)); err != nil {
				return report.Listing{}, err
			}
			return report.Sources(git.Items, oci.Items), nil
		},
	})
}
