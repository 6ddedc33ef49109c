// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package install is "install" and "uninstall".
//
// In: options, and the manifests that the binary carries. Out: a cluster with
// Holdfast in it, or without. It makes no Application and gives no right in
// anybody's namespace; uninstall deletes no managed object.
package install

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/installation"
	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Options of "install".
type Options struct {
	Manifests manifests.Options
	Export    bool
	Wait      bool
	Force     bool
	Timeout   time.Duration

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// New is "install"; tests pass a run of their own to see the options.
func New(release string, t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = install
	}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Install the controllers into the cluster, or upgrade them",
		Long: `Install the controllers with their kinds, rights, policies and network policies
into the namespace holdfast-system, or upgrade an install that this command made.
It watches nothing and writes to nobody's objects until an Application says so.

It needs the rights of a cluster administrator, once: it makes CRDs, ClusterRoles
and admission policies. CRDs of Flux that are there are kept. An install that a
repository owns is refused: there, run holdfast bootstrap again.`,
		Example: `  # Everything
  holdfast install

  # Beside Flux, on its source-controller
  holdfast install --components drift-controller,secrets-controller

  # Only look
  holdfast install --export`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	Flags(cmd.Flags(), &o.Manifests, release)
	cmd.Flags().BoolVar(&o.Export, "export", false, "print the manifests and change nothing")
	cmd.Flags().BoolVar(&o.Wait, "wait", true, "wait until the controllers are ready")
	cmd.Flags().BoolVar(&o.Force, "force", false, "take over an install that another tool made")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 5*time.Minute, "how long to wait for each controller")
	return cmd
}

func install(ctx context.Context, o Options) error {
	// Everything that can be wrong with the options is said before a cluster is
	// looked for.
	objects, err := manifests.Render(o.Manifests)
	if err != nil {
		return err
	}
	if o.Export {
		text, err := manifests.YAML(objects)
		fmt.Fprintf(o.Terminal.Out, "%s", text)
		return err
	}
	c, err := connect(o.Connect)
	if err != nil {
		return err
	}
	found, err := c.Look(ctx)
	if err != nil {
		return err
	}
	if err := found.Refuse(installation.ByInstall, o.Manifests.Components, o.Force); err != nil {
		return err
	}
	if found.SourceKinds {
		o.say("kept: the CRDs of Flux that are there")
		o.Manifests.KeepSourceKinds = true
		if objects, err = manifests.Render(o.Manifests); err != nil {
			return err
		}
	}
	if err := c.Able(ctx, objects); err != nil {
		return err
	}
	Sign(objects, installation.ByInstall)
	o.say("installing into " + c.Place())
	if err := c.Apply(ctx, objects, o.say); err != nil {
		return err
	}
	if !o.Wait {
		return nil
	}
	o.say("waiting for the controllers")
	if err := c.Wait(ctx, o.Manifests.Components, o.Timeout); err != nil {
		return err
	}
	o.say("ready. Next: holdfast create source git, then holdfast create application")
	return nil
}

// Sign writes into the namespace who owns the install.
func Sign(objects []*unstructured.Unstructured, owner string) {
	for _, u := range objects {
		if u.GetKind() == "Namespace" && u.GetName() == manifests.Namespace {
			notes := u.GetAnnotations()
			if notes == nil {
				notes = map[string]string{}
			}
			notes[installation.OwnerAnnotation] = owner
			u.SetAnnotations(notes)
		}
	}
}

func (o Options) say(line string) { fmt.Fprintln(o.Terminal.Out, screen.Clean(line)) }

func connect(to func() (*cluster.Cluster, error)) (installation.Cluster, error) {
	c, err := to()
	if err != nil {
		return installation.Cluster{}, err
	}
	return installation.Connect(c)
}

// RemoveOptions of "uninstall".
type RemoveOptions struct {
	Removal installation.Removal
	Yes     bool

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// NewUninstall is "uninstall".
func NewUninstall(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, RemoveOptions) error) *cobra.Command {
	o := RemoveOptions{Connect: connect, Terminal: t}
	if run == nil {
		run = uninstall
	}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Take the controllers out of the cluster; managed objects stay as they are",
		Long: `Take the controllers, their rights and policies out of the cluster. No managed
object is deleted or changed: with nobody to judge them they stay as they are.

The CRDs stay too, with every Application and report, unless --crds is given; those
of Flux stay in any case. The namespace stays, with the volume that holds the key
of the digests, unless --delete-namespace is given.`,
		Example: `  # What would go
  holdfast uninstall

  # Let it go
  holdfast uninstall --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.Flags().BoolVar(&o.Removal.CRDs, "crds", false, "delete Holdfast's CRDs, with every Application, report and inventory")
	cmd.Flags().BoolVar(&o.Removal.Namespace, "delete-namespace", false, "delete the namespace holdfast-system with everything in it")
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "do it; without it, what would go is listed")
	return cmd
}

func uninstall(ctx context.Context, o RemoveOptions) error {
	all := manifests.Defaults()
	objects, err := manifests.Render(all)
	if err != nil {
		return err
	}
	// An install beside Flux has a policy in Flux's namespace.
	all.Components = slices.DeleteFunc(manifests.Components(), func(c string) bool { return c == manifests.Source })
	beside, err := manifests.Render(all)
	if err != nil {
		return err
	}
	for _, u := range beside {
		if u.GetNamespace() != "" && u.GetNamespace() != manifests.Namespace {
			objects = append(objects, u)
		}
	}
	if !o.Yes {
		for _, u := range o.Removal.Lists(objects) {
			fmt.Fprintf(o.Terminal.Out, "%s %s\n", u.GetKind(), u.GetName())
		}
		fmt.Fprintln(o.Terminal.Err, "Nothing was deleted. With --yes these go.")
		return nil
	}
	c, err := connect(o.Connect)
	if err != nil {
		return err
	}
	return c.Remove(ctx, objects, o.Removal, func(line string) { fmt.Fprintln(o.Terminal.Out, screen.Clean(line)) })
}
