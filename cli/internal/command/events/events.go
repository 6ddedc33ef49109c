// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package events is "events", what the controllers told the cluster.
//
// In: the events of a namespace or of all. Out: those about Holdfast's objects
// and sources, the latest last. It never changes the cluster.
package events

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Options of the verb.
type Options struct {
	// Name of the object; "" is every one.
	Name          string
	AllNamespaces bool
	Format        screen.Format

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = show
	}
	cmd := &cobra.Command{
		Use:   "events [NAME]",
		Short: "Show what the controllers reported as events, the latest last",
		Long: `Show the events about applications, sources, rollouts, emergencies and reports,
the latest last. The cluster forgets events after an hour or so; what is lasting
stands in the status of the objects.`,
		Example: `  # What happened to one application
  holdfast events users-api -n users

  # Everywhere
  holdfast events -A`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.Name = args[0]
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "show those of every namespace")
	output.Flag(cmd, &o.Format, screen.Table, screen.JSON, screen.YAML)
	return cmd
}

func show(ctx context.Context, o Options) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	namespace := c.Namespace()
	if o.AllNamespaces {
		namespace = ""
	}
	var all corev1.EventList
	if err := c.List(ctx, &all, client.InNamespace(namespace)); err != nil {
		return err
	}
	all.Items = slices.DeleteFunc(all.Items, func(e corev1.Event) bool {
		return !ours(e.InvolvedObject.APIVersion) || o.Name != "" && e.InvolvedObject.Name != o.Name
	})
	slices.SortStableFunc(all.Items, func(a, b corev1.Event) int { return report.EventTime(&a).Compare(report.EventTime(&b)) })
	return o.Terminal.Print(report.Events{Items: all.Items, WithNamespace: o.AllNamespaces, Now: o.Terminal.Now()}, o.Format)
}

func ours(apiVersion string) bool {
	group, _, _ := strings.Cut(apiVersion, "/")
	return slices.Contains([]string{"drift.holdfast.dev", "secrets.holdfast.dev", "source.toolkit.fluxcd.io"}, group)
}
