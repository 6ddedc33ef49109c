// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lint is "lint", what is wrong with a folder, without a cluster.
//
// In: a folder of the user's own checkout. Out: what the rules of the
// secrets-controller have against what it declares, and exit code 1 where that
// is as grave as asked. It needs no kubeconfig and no network.
package lint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/exit"
	linter "github.com/holdfast-gitops/holdfast/cli/internal/lint"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/worktree"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
	"github.com/holdfast-gitops/holdfast/secrets-controller/rule"
	"github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

// Options of "lint secrets".
type Options struct {
	Dir       string
	Namespace string
	// Against is a commit, branch or tag to compare with; empty is none.
	Against string
	// With are further folders whose declarations count.
	With []string
	// Policies are files with SecretPolicies.
	Policies    []string
	ValuesFiles []string
	// KubeVersion and Operator are the releases to judge for.
	KubeVersion, Operator string
	StoresComplete        bool
	FailOn                string
	Format                screen.Format

	Terminal terminal.Terminal
}

const examples = `  # In a merge request: what is wrong with the secrets of one application
  holdfast lint secrets services/users-api -n users

  # Also what the change deletes, and what it leaves leaked
  holdfast lint secrets services/users-api -n users --against origin/main

  # The stores and shared secrets are declared in another folder
  holdfast lint secrets services/users-api -n users --with platform/secrets --stores-complete

  # For a code host that shows findings beside the lines
  holdfast lint secrets services/users-api -n users -o sarif`

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, run func(context.Context, Options) error) *cobra.Command {
	parent := &cobra.Command{Use: "lint", Short: "Judge a folder before it is merged, without a cluster"}
	parent.AddCommand(secrets(t, run))
	return parent
}

func secrets(t terminal.Terminal, run func(context.Context, Options) error) *cobra.Command {
	o := Options{Terminal: t}
	if run == nil {
		run = lint
	}
	cmd := &cobra.Command{
		Use:   "secrets DIR",
		Short: "Show what is wrong with the secrets that a folder declares",
		Long: `Show what is wrong with the secrets that a folder declares.

The folder is rendered as an Application with this path would be (a chart, a
kustomization, or plain manifests), and judged by the rules of the
secrets-controller. No cluster is asked, so that only what Git can tell is told:
what was delivered is not judged, and what depends on a store's content is
Unknown. Of values, only digests reach the rules.

Exit codes: 0 nothing as grave as --fail-on, 1 something is, 2 the folder could
not be judged.`,
		Example: examples,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir, o.Namespace = args[0], "default"
			// The flag is kubectl's and stands at the root. The namespace of
			// the kubeconfig's context has no business in a merge request.
			if f := cmd.Flag("namespace"); f != nil && f.Value.String() != "" {
				o.Namespace = f.Value.String()
			}
			return run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Against, "against", "", "commit, branch or tag that the change is compared with")
	flags.StringArrayVar(&o.With, "with", nil, "another folder of the repository whose declarations count; may be repeated")
	flags.StringArrayVar(&o.Policies, "policy", nil, "file with SecretPolicies; may be repeated")
	flags.StringArrayVar(&o.ValuesFiles, "values", nil, "values file of a chart, as seen from it; may be repeated")
	flags.StringVar(&o.KubeVersion, "kube-version", "", "Kubernetes release to judge for (newest known)")
	flags.StringVar(&o.Operator, "operator-version", "", "release of the External Secrets Operator to judge for (newest known)")
	flags.BoolVar(&o.StoresComplete, "stores-complete", false, "every store is in these folders: one that is not does not exist")
	flags.StringVar(&o.FailOn, "fail-on", string(linter.Errors), "exit with 1 on: error, unknown (and errors), warning (and both)")
	output.Flag(cmd, &o.Format, screen.Plaintext, screen.JSON, screen.YAML, screen.SARIF, screen.Markdown)
	return cmd
}

func lint(ctx context.Context, o Options) error {
	level := linter.Level(o.FailOn)
	if !slices.Contains([]linter.Level{linter.Errors, linter.Unknowns, linter.Warnings}, level) {
		return fmt.Errorf("--fail-on %s: it is one of error, unknown, warning", o.FailOn)
	}
	r, err := o.judge(ctx)
	if err != nil {
		return err
	}
	if err := o.Terminal.Print(r, o.Format); err != nil {
		return err
	}
	return exit.Of(r.Outcome(level))
}

func (o Options) judge(ctx context.Context) (linter.Report, error) {
	root, dir, err := locate(o.Dir)
	if err != nil {
		return linter.Report{}, err
	}
	tree, err := worktree.Folder(root, dir, nil)
	if err != nil {
		return linter.Report{}, err
	}
	defer tree.Close() //nolint:errcheck // a folder that was only read
	in := linter.Input{
		Files: tree.Files, Name: tree.Name, Path: dir,
		Options: render.Options{
			Namespace: o.Namespace, Revision: tree.Name, Cluster: render.Cluster{KubeVersion: o.KubeVersion},
			Helm: render.HelmOptions{ReleaseName: filepath.Base(dir), ValuesFiles: o.ValuesFiles},
		},
		Scope: rule.Scope{
			Now: o.Terminal.Now(), StoresComplete: o.StoresComplete,
			Operator: schema.ParseVersion(o.Operator), Kubernetes: schema.ParseVersion(o.KubeVersion),
		},
	}
	if in.Policies, err = policies(o.Policies); err != nil {
		return linter.Report{}, err
	}
	for _, other := range o.With {
		at, below, err := locate(other)
		if err != nil {
			return linter.Report{}, err
		}
		if at != root {
			return linter.Report{}, fmt.Errorf("--with %s is not in the repository of %s: name a folder of the same checkout", other, o.Dir)
		}
		in.With = append(in.With, below)
	}
	if o.Against != "" {
		before, err := worktree.Commit(ctx, root, o.Against, nil)
		if err != nil {
			return linter.Report{}, err
		}
		in.Before = before.Files
	}
	return linter.Run(ctx, in)
}

// locate splits a folder into the repository around it and the path within.
// Outside of a repository the folder is the whole source.
func locate(dir string) (root, below string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", dir, err)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", "", fmt.Errorf("%s is not a folder: name the one that an Application's spec.path would name", dir)
	}
	for top := abs; ; top = filepath.Dir(top) {
		_, err := os.Stat(filepath.Join(top, ".git"))
		switch {
		case err == nil:
			below, err := filepath.Rel(top, abs)
			return top, filepath.ToSlash(below), err
		case !errors.Is(err, os.ErrNotExist):
			return "", "", fmt.Errorf("looking for the repository around %s: %w", dir, err)
		case filepath.Dir(top) == top:
			return abs, ".", nil
		}
	}
}
