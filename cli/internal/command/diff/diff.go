// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package diff is "diff", what a working tree or a commit would change.
//
// In: an Application, and its source as a folder or a commit of the user's own
// repository, or the report that the cluster has. Out: the preview, and exit
// code 1 where anything would differ. It judges with the drift-controller's own packages, at stage Observe and
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
)

// Options of the verb.
type Options struct {
	Name string
	// Local is a folder of the source's working tree; empty is the report that
	// the cluster has.
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
type Judge func(ctx context.Context, o Options) (report.Preview, error)

// reported: no checkout is named, so that the cluster's own report is shown.
func (o Options) reported() bool { return o.Local == "" && o.Revision == "" && o.LocalValues == "" }

const examples = `  # Before a merge: what this working tree would change
  holdfast diff users-api -n users --local .

  # The same for a branch, without checking it out
  holdfast diff users-api -n users --local . --revision feature/new-db

  # What the cluster itself reports, without a checkout
  holdfast diff users-api -n users

  # In CI, as a comment for the merge request: 0 nothing would change, 1
  # something would, 2 cannot tell
  holdfast diff users-api -n users --local . -o markdown

  # For a code host that shows findings beside the lines
  holdfast diff users-api -n users --local . -o sarif`

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

With --local or --revision it renders the application from your own checkout of
its source and compares the result with the live objects, as the
drift-controller does and with the same packages, but with your own rights.
Nothing is written: the API server is asked for dry runs. An object that you may
not read or dry-run is judged less exactly or shown as not judged. Without both,
it shows what the drift-controller has reported of the revision that it compared.

"-" is live, "+" is what Git would say. Secret values are shown as digests.

Exit codes: 0 nothing would change, 1 something would, 2 an error, or nothing
differs but something could not be judged.`,
		Example: examples,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Local, "local", "", "folder with a checkout of the application's source; without it, what the cluster reports")
	cmd.Flags().StringVar(&o.LocalValues, "local-values", "",
		"folder with a checkout of render.helm.valuesSourceRef, if the application has one")
	cmd.Flags().StringVar(&o.Revision, "revision", "", "commit, branch or tag of that checkout instead of its working tree")
	output.Flag(cmd, &o.Format, screen.Plaintext, screen.JSON, screen.YAML, screen.SARIF, screen.Markdown)
	return cmd
}

func diff(ctx context.Context, o Options) error {
	preview, err := o.Judge(ctx, o)
	if err != nil {
		return err
	}
	if err := o.Terminal.Print(preview, o.Format); err != nil {
		return err
	}
	return exit.Of(preview.Outcome())
}
