// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package applications is "get applications", the fleet at a glance.
//
// In: the Applications of a namespace or of all, perhaps only some by name.
// Out: one line each, or the objects, with expired verdicts as Unknown. It
// never changes the cluster.
package applications

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Source of Applications.
type Source interface {
	Namespace() string
	Applications(ctx context.Context, namespace string) ([]v1alpha1.Application, error)
	Application(ctx context.Context, namespace, name string) (*v1alpha1.Application, error)
}

// Options of the verb.
type Options struct {
	// Names to show; none is all.
	Names         []string
	AllNamespaces bool
	Format        screen.Format

	Connect  func() (Source, error)
	Terminal terminal.Terminal
}

const examples = `  # Every application of the cluster
  holdfast get applications -A

  # With source, ceiling and message, uncut
  holdfast get applications -n users -o wide`

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (Source, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = get
	}
	cmd := &cobra.Command{
		Use:     "applications [NAME...]",
		Aliases: []string{"application", "apps", "app", "happs", "happ"},
		Short:   "Show applications with stage, verdict and what holds them",
		Long: `Show applications with stage, verdict and what holds them.

A verdict that has expired, because no controller renewed it, is shown as
Unknown in every format. Where the table is wider than the terminal, the
revision and what holds an application are shortened, then the age is left
out; -o wide shortens nothing.`,
		Example: examples,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Names = args
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "show those of every namespace")
	output.Flag(cmd, &o.Format, screen.Table, screen.Wide, screen.JSON, screen.YAML, screen.Name)
	return cmd
}

var errNamesAndAll = errors.New("a NAME cannot be combined with -A: leave one of them out")

func get(ctx context.Context, o Options) error {
	if o.AllNamespaces && len(o.Names) > 0 {
		return errNamesAndAll
	}
	source, err := o.Connect()
	if err != nil {
		return err
	}
	namespace := source.Namespace()
	if o.AllNamespaces {
		namespace = ""
	}
	apps, err := read(ctx, source, namespace, o.Names)
	if err != nil {
		return err
	}
	if len(apps) == 0 && (o.Format == screen.Table || o.Format == screen.Wide) {
		fmt.Fprintln(o.Terminal.Err, nothing(namespace))
		return nil
	}
	fleet := report.NewFleet(apps, o.Terminal.Now())
	fleet.WithNamespace = o.AllNamespaces
	fleet.Wide = o.Format == screen.Wide
	return o.Terminal.Print(fleet, o.Format)
}

func read(ctx context.Context, source Source, namespace string, names []string) ([]v1alpha1.Application, error) {
	if len(names) == 0 {
		return source.Applications(ctx, namespace)
	}
	var apps []v1alpha1.Application
	for _, name := range names {
		app, err := source.Application(ctx, namespace, name)
		if err != nil {
			return nil, err
		}
		apps = append(apps, *app)
	}
	return apps, nil
}

func nothing(namespace string) string {
	if namespace == "" {
		return "No applications in the cluster."
	}
	return "No applications in namespace " + namespace + ". -A shows those of every namespace."
}
