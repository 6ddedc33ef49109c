// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package adopt is "adopt", which writes what live has into the user's own
// checkout of the source.
//
// In: an Application, a working tree, and which differences are meant. Out: a
// patch, or with --write the changed files. Before anything is printed or
// written, the patched source is rendered and compared with the cluster: the
// differences are gone and no other has come. It never commits, never writes
// to the cluster and never puts a secret's value into a file.
package adopt

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/engine"
	"github.com/holdfast-gitops/holdfast/cli/internal/exit"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/drift-controller/adopt"
)

// Options of the verb.
type Options struct {
	Name               string
	Local, LocalValues string
	// Object is KIND/NAME, Path a pointer as reports print it; empty is any.
	Object, Path string
	Write        bool
	DryRun       bool
	Format       screen.Format

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

var errBoth = errors.New("--write and --dry-run exclude each other: a dry run is what happens without --write")

const examples = `  # The hand edits of one object, as a patch
  holdfast adopt users-api -n users --object ConfigMap/users-api-env | git apply

  # Everything that was edited by hand, into the working tree
  holdfast adopt users-api -n users --local . --write && git diff

  # One field, whoever wrote it
  holdfast adopt users-api -n users --object Deployment/users-api --path /spec/replicas`

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, flags *cluster.Flags, run func(context.Context, Options) error) *cobra.Command {
	o := Options{Terminal: t, Connect: flags.Connect}
	if run == nil {
		run = write
	}
	cmd := &cobra.Command{
		Use:   "adopt NAME",
		Short: "Write what live has into the source that declares it",
		Long: `Write what live has into the source that declares it.

A hand edit either becomes a commit or disappears; this makes the commit's
content. Plain manifests are changed in place, comments, order and line ends
kept. So are files of a kustomization's own folder; what comes from a base gets
a patch file and its entry, since others may use the base. For a chart the one
key of its values is changed that gives the value; where none or several do, it
says so. The result is rendered and compared before anything is printed.

Without --path these are fields that were edited by hand or that nobody owns.
Secret values are never written. The patch goes to standard output, remarks go
to standard error.

Exit codes: 0 everything is adopted, 1 something is left, 2 an error.`,
		Example: examples,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Name = args[0]; o.Write && o.DryRun {
				return errBoth
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Local, "local", ".", "folder with a checkout of the application's source")
	cmd.Flags().StringVar(&o.LocalValues, "local-values", "", "folder with a checkout of render.helm.valuesSourceRef, if the application has one")
	cmd.Flags().StringVar(&o.Object, "object", "", "only this object: KIND/NAME")
	cmd.Flags().StringVar(&o.Path, "path", "", "only this field and what is below it, as reports print it")
	cmd.Flags().BoolVar(&o.Write, "write", false, "change the files of the working tree")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "only print the patch, which is the default")
	output.Flag(cmd, &o.Format, screen.Plaintext, screen.JSON, screen.YAML)
	return cmd
}

func write(ctx context.Context, o Options) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	s, err := engine.Start(ctx, c, o.Name, engine.Folders(o.Local, "", o.LocalValues), o.Terminal.Now())
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // what was written was closed by then
	a, result, err := find(ctx, s, o)
	if err != nil {
		return err
	}
	if o.Write {
		if a.Written, err = save(s, result.Files); err != nil {
			return err
		}
	}
	fmt.Fprint(o.Terminal.Err, a.Remarks(o.Terminal.Style))
	if o.Write && o.Format == screen.Plaintext {
		a.Patch = "" // git diff shows it
	}
	if err := o.Terminal.Print(a, o.Format); err != nil {
		return err
	}
	if len(a.Left) > 0 {
		return exit.ErrDifferent
	}
	return nil
}

func save(s *engine.Session, files []adopt.File) ([]string, error) {
	var written []string
	for _, f := range files {
		tree := s.Tree
		if f.InValues {
			tree = s.Values
		}
		if err := tree.Write(f.Name, f.Before, f.After); err != nil {
			return written, fmt.Errorf("%w (written before: %d of %d files)", err, len(written), len(files))
		}
		written = append(written, f.Name)
	}
	return written, nil
}
