// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/adopt"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/approve"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/bootstrap"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/check"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/create"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/diff"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/emergency"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/events"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/explain"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/export"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/get"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/install"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/lint"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/plan"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/reconcile"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/stage"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/suspend"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/trace"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/undo"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/version"
	"github.com/holdfast-gitops/holdfast/cli/internal/exit"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

const long = `holdfast shows where a cluster and Git part: what differs, who wrote it, since
when, what reads it, and what happens next. It uses your own kubeconfig and
the connection flags of kubectl; those that are rarely used are not listed.

Exit codes:
  0  done; for verbs that compare: in sync
  1  differences (diff always, adopt if something is left, get drift and get secrets with --exit-code)
  2  an error, or nothing could be told`

const examples = `  # The fleet
  holdfast get applications -A

  # One application: what differs, who did it, since when
  holdfast get drift users-api -n users

  # What this working tree would change
  holdfast diff users-api -n users --local .

  # Everything that is known of one field
  holdfast explain ConfigMap/users-api-env /data/DB_HOST -n users

  # A hand edit becomes a commit
  holdfast adopt users-api -n users --object ConfigMap/users-api-env | git apply`

// Root is the command tree of a release.
func Root(release string, t terminal.Terminal) *cobra.Command {
	root := &cobra.Command{
		Use:     "holdfast",
		Short:   "See and settle the drift between Git and a cluster",
		Long:    long,
		Example: examples,
		// Errors are printed once, by Execute, without the usage below them.
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(t.Out)
	root.SetErr(t.Err)
	flags := cluster.NewFlags(root.PersistentFlags())
	root.AddCommand(
		check.New(t, flags.Connect, nil),
		install.New(release, t, flags.Connect, nil),
		install.NewUninstall(t, flags.Connect, nil),
		bootstrap.New(release, t, flags.Connect),
		get.New(t, flags),
		adopt.New(t, flags, nil),
		diff.New(t, flags, nil),
		explain.New(t, func() (explain.Source, error) { return flags.Connect() }, nil),
		lint.New(t, nil),
		create.New(t, flags.Connect),
		export.New(t, flags.Connect, nil),
		plan.New(t, func() (plan.Source, error) { return flags.Connect() }, nil),
		approve.New(t, flags.Connect, nil),
		undo.New(t, flags.Connect, nil),
		stage.New(t, flags.Connect, nil),
		emergency.New(t, flags.Connect),
		reconcile.New(t, flags.Connect, nil),
		suspend.New(t, flags.Connect, nil),
		suspend.NewResume(t, flags.Connect, nil),
		trace.New(t, flags.Connect, nil),
		events.New(t, flags.Connect, nil),
		version.New(release, t, flags, nil),
	)
	return root
}

// Execute runs the verb that the arguments name, and gives the exit code.
func Execute(ctx context.Context, args []string, release string, t terminal.Terminal) int {
	root := Root(release, t)
	root.SetArgs(args)
	verb, err := root.ExecuteContextC(ctx)
	if err == nil || exit.Silent(err) {
		return exit.Code(err)
	}
	fmt.Fprintf(t.Err, "holdfast: %s\n", err)
	if misused(err) {
		fmt.Fprintf(t.Err, "See: %s --help\n", verb.CommandPath())
	}
	return exit.Code(err)
}

// misused errors come from cobra's reading of the arguments. It has no types
// for them, and the worst that a change of its words can do is a hint less.
func misused(err error) bool {
	signs := []string{"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires ", "invalid argument", "flag needs"}
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.HasPrefix(err.Error(), sign) })
}
