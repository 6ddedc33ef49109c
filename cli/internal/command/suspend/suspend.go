// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package suspend is "suspend" and "resume".
//
// In: an Application, source or StageRollout. Out: spec.suspend set or taken
// away, and what that means in words. It writes that one field.
package suspend

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/target"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/writer"
)

// Options of both verbs.
type Options struct {
	Target  target.Target
	Suspend bool

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// New is "suspend"; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	return command(Options{Suspend: true, Connect: connect, Terminal: t}, run, &cobra.Command{
		Use:   "suspend NAME|KIND/NAME",
		Short: "Stop comparing an application, fetching a source or raising a rollout",
		Long: `Stop comparing and writing an application, fetching a source, or raising the
applications of a rollout. The kinds are Application (the default),
GitRepository, OCIRepository and StageRollout.

A suspended application is not watched: its verdict expires and reads as Unknown.
Suspending has no end and no owner. To repair by hand, open an emergency instead
(holdfast breakglass open): it ends by itself, and lists your edits meanwhile.`,
		Example: `  # An application
  holdfast suspend users-api -n users

  # A source
  holdfast suspend GitRepository/prod-manifests -n holdfast-system`,
	})
}

// NewResume is "resume".
func NewResume(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	return command(Options{Connect: connect, Terminal: t}, run, &cobra.Command{
		Use:   "resume NAME|KIND/NAME",
		Short: "Take back a suspend",
		Long: `Take back a suspend. The controller looks at once, and acts as the stage allows:
from SelfHeal on it reverts what was edited by hand meanwhile. To look before,
use holdfast diff, or lower the stage first with holdfast stage.`,
		Example: `  # An application
  holdfast resume users-api -n users`,
	})
}

func command(o Options, run func(context.Context, Options) error, cmd *cobra.Command) *cobra.Command {
	if run == nil {
		run = set
	}
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if o.Target, err = target.Parse(args[0], "Application", "GitRepository", "OCIRepository", "StageRollout"); err != nil {
			return err
		}
		return run(cmd.Context(), o)
	}
	return cmd
}

func set(ctx context.Context, o Options) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	w, err := writer.New(c)
	if err != nil {
		return err
	}
	object := o.Target.Object(c.Namespace())
	// It is read first: a patch of something that is not there has no hint of
	// what was meant.
	if err := c.Get(ctx, object.GetNamespace(), object.GetName(), object); err != nil {
		return err
	}
	app, _ := object.(*v1alpha1.Application)
	was := app != nil && app.Spec.Suspend
	if err := w.Merge(ctx, object, map[string]any{"spec": map[string]any{"suspend": o.Suspend}}); err != nil {
		return err
	}
	for _, line := range o.words(app, was) {
		fmt.Fprintln(o.Terminal.Out, screen.Clean(line))
	}
	return nil
}

// words say what it means from now on.
func (o Options) words(app *v1alpha1.Application, was bool) []string {
	switch {
	case o.Suspend && app != nil:
		lines := []string{o.Target.String() + " is suspended: nothing is compared and nothing is written."}
		if app.Status.Compared != nil {
			lines = append(lines, "Its verdict reads as Unknown from "+o.Terminal.Style.Date(app.Status.Compared.ValidUntil.Time)+" on.")
		}
		return append(lines, fmt.Sprintf("Take it back: holdfast resume %s -n %s", app.Name, app.Namespace))
	case o.Suspend:
		return []string{o.Target.String() + " is suspended."}
	case app != nil && was && (app.Status.Stage.Effective == v1alpha1.StageSelfHeal || app.Status.Stage.Effective == v1alpha1.StagePrune):
		return []string{o.Target.String() + " is resumed at stage " + string(app.Status.Stage.Effective) +
			": what was edited by hand meanwhile is reverted."}
	default:
		return []string{o.Target.String() + " is resumed."}
	}
}
