// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stage is "stage": see how far an Application may go and what holds
// it, or move its ceiling.
//
// In: an Application, perhaps a stage. Out: the state in words, or spec.stage
// changed. It writes that one field and never two steps up at once.
package stage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/writer"
)

// Options of the verb.
type Options struct {
	Name string
	// To is the new ceiling; "" only looks.
	To     v1alpha1.Stage
	Skip   bool
	Format screen.Format

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = move
	}
	cmd := &cobra.Command{
		Use:   "stage NAME [Observe|Sync|SelfHeal|Prune]",
		Short: "Show the stage of an application and what holds it, or move its ceiling",
		Long: `Show the stage of an application, what the next one would add and what holds it;
or move its ceiling (spec.stage). The Project and a rollout may hold it lower.

Up goes one step at a time: each adds one right, and what it does is seen before
the next. Down goes as far as you like, at once.`,
		Example: `  # Where it stands, and what the next step asks for
  holdfast stage users-api -n users

  # One step up
  holdfast stage users-api -n users Sync

  # Back to watching only
  holdfast stage users-api -n users Observe`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.Name = args[0]
			if len(args) > 1 {
				if o.To, err = parse(args[1]); err != nil {
					return err
				}
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.Skip, "skip-stages", false, "allow more than one step up at once")
	output.Flag(cmd, &o.Format, screen.Plaintext, screen.JSON, screen.YAML)
	return cmd
}

func complete(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return words(), cobra.ShellCompDirectiveNoFileComp
}

func words() []string {
	var all []string
	for _, s := range report.StageOrder {
		all = append(all, string(s))
	}
	return all
}

func parse(word string) (v1alpha1.Stage, error) {
	at := slices.IndexFunc(report.StageOrder, func(s v1alpha1.Stage) bool { return strings.EqualFold(string(s), word) })
	if at < 0 {
		return "", fmt.Errorf("%q is no stage: it is one of %s", word, strings.Join(words(), ", "))
	}
	return report.StageOrder[at], nil
}

func move(ctx context.Context, o Options) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	app, err := c.Application(ctx, c.Namespace(), o.Name)
	if err != nil {
		return err
	}
	if o.To == "" {
		return o.Terminal.Print(report.StageOf(app, o.Terminal.Now()), o.Format)
	}
	if err := allowed(app, o); err != nil {
		return err
	}
	w, err := writer.New(c)
	if err != nil {
		return err
	}
	from := app.Spec.Stage
	if err := w.Merge(ctx, app, map[string]any{"spec": map[string]any{"stage": o.To}}); err != nil {
		return err
	}
	fmt.Fprintf(o.Terminal.Out, "%s/%s: ceiling %s -> %s\n", app.Namespace, app.Name, from, o.To)
	if declared(app) {
		fmt.Fprintln(o.Terminal.Err, "This Application was applied by the drift-controller, so Git declares its stage too: commit the change, or it is undone.")
	}
	return nil
}

// allowed says why a move makes no sense.
func allowed(app *v1alpha1.Application, o Options) error {
	from, to := slices.Index(report.StageOrder, app.Spec.Stage), slices.Index(report.StageOrder, o.To)
	if to > from+1 && !o.Skip {
		next := report.StageOrder[from+1]
		return &cluster.Fault{Kind: cluster.Refused,
			What: fmt.Sprintf("from %s to %s is more than one step", app.Spec.Stage, o.To),
			Next: fmt.Sprintf("Take %s first and look at what it does: holdfast stage %s -n %s %s", next, app.Name, app.Namespace, next)}
	}
	if missing := report.IdentityFor(app, o.To); missing != "" {
		return &cluster.Fault{Kind: cluster.Refused,
			What: fmt.Sprintf("stage %s needs spec.identity.%s, which %s/%s does not name", o.To, missing, app.Namespace, app.Name),
			Next: "Make the account with its Roles: holdfast create application --stage " + string(o.To) + " --export prints them."}
	}
	return nil
}

// declared: the drift-controller owns the field, so it comes from Git.
func declared(app *v1alpha1.Application) bool {
	return slices.ContainsFunc(app.ManagedFields, func(f metav1.ManagedFieldsEntry) bool {
		return f.Manager == contract.DriftFieldManager && f.Subresource == ""
	})
}
