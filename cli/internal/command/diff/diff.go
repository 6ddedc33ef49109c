// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package diff is "diff", what a working tree or a commit would change.
//
// In: an Application, and its source as a folder or a commit of the user's own
// repository. Out: the preview, and exit code 1 where anything would differ.
// It judges with the drift-controller's own packages, at stage Observe and
// with the user's own rights; what reaches the cluster is reads and dry runs.
package diff

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/exit"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/worktree"
)

// Options of the verb.
type Options struct {
	Name string
	// Local is a folder of the source's working tree.
	Local string
	// Revision is a commit, branch or tag of the repository at Local; empty is
	// the working tree itself.
	Revision string
	// LocalValues is the same for the second source that holds values files.
	LocalValues string
	Format      screen.Format

	// Judge asks the cluster what the tree would change.
	Judge    Judge
	Terminal terminal.Terminal
}

// Judge is the verb's way to the cluster.
type Judge func(ctx context.Context, name string, from Sources) (report.Preview, error)

// Open gives a source's content, once it is known which path has to be in it
// and what its ignore rules are.
type Open func(ctx context.Context, path string, ignore *string) (worktree.Tree, error)

// Sources are the checkouts.
type Sources struct {
	Open Open
	// OpenValues is nil if no second checkout was named.
	OpenValues Open
}

const examples = `  # Before a merge: what this working tree would change
  holdfast diff users-api -n users --local .

  # The same for a branch, without checking it out
  holdfast diff users-api -n users --local . --revision feature/new-db

  # In CI: 0 nothing would change, 1 something would, 2 cannot tell
  holdfast diff users-api -n users --local . -o json`

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, flags *cluster.Flags, run func(context.Context, Options) error) *cobra.Command {
	o := Options{Terminal: t, Judge: judgeBy(flags, t.Now)}
	if run == nil {
		run = diff
	}
	cmd := &cobra.Command{
		Use:   "diff NAME",
		Short: "Show what a working tree or a commit would change in the cluster",
		Long: `Show what a working tree or a commit would change in the cluster.

It renders the application from your own checkout of its source and compares
the result with the live objects, as the drift-controller does and with the
same packages, but with your own rights. Nothing is written: the API server is
asked for dry runs. "-" is live, "+" is what Git would say. An object that you
may not read or dry-run is judged less exactly or shown as not judged.

Exit codes: 0 nothing would change, 1 something would, 2 an error, or nothing
differs but something could not be judged.`,
		Example: examples,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Local, "local", ".", "folder with a checkout of the application's source")
	cmd.Flags().StringVar(&o.LocalValues, "local-values", "",
		"folder with a checkout of render.helm.valuesSourceRef, if the application has one")
	cmd.Flags().StringVar(&o.Revision, "revision", "", "commit, branch or tag of that checkout instead of its working tree")
	output.Flag(cmd, &o.Format, screen.Table, screen.JSON, screen.YAML)
	return cmd
}

func diff(ctx context.Context, o Options) error {
	preview, err := o.Judge(ctx, o.Name, o.sources())
	if err != nil {
		return err
	}
	if err := o.Terminal.Print(preview, o.Format); err != nil {
		return err
	}
	return exit.Of(preview.Outcome())
}

func (o Options) sources() Sources {
	s := Sources{Open: func(ctx context.Context, path string, ignore *string) (worktree.Tree, error) {
		if o.Revision != "" {
			return worktree.Commit(ctx, o.Local, o.Revision, ignore)
		}
		return worktree.Folder(o.Local, path, ignore)
	}}
	if o.LocalValues != "" {
		s.OpenValues = func(_ context.Context, path string, ignore *string) (worktree.Tree, error) {
			return worktree.Folder(o.LocalValues, path, ignore)
		}
	}
	return s
}
