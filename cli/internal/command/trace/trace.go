// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package trace is "trace": from an object of the cluster back to the commit
// that declares it.
//
// In: an object, the inventories of the Applications, their sources. Out: one
// screen. It never changes the cluster.
package trace

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/target"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Options of the verb.
type Options struct {
	Kind, Name string
	Format     screen.Format

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = trace
	}
	cmd := &cobra.Command{
		Use:   "trace KIND/NAME",
		Short: "Show which application, source and commit an object comes from",
		Long: `Show who wrote an object of a namespace, which application declares it or has it
in its inventory, from which path of which source, and at which revision. KIND may
carry its group, as in Deployment.apps.`,
		Example: `  # Where does this come from?
  holdfast trace ConfigMap/users-api-env -n users`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, name, found := strings.Cut(args[0], "/")
			if !found || kind == "" || name == "" {
				return fmt.Errorf("%q is no object: write KIND/NAME, as in ConfigMap/users-api-env", args[0])
			}
			o.Kind, o.Name = kind, name
			return run(cmd.Context(), o)
		},
	}
	output.Flag(cmd, &o.Format, screen.Plaintext, screen.JSON, screen.YAML)
	return cmd
}

func trace(ctx context.Context, o Options) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	kind, err := c.KindOf(o.Kind)
	if err != nil {
		return err
	}
	found := report.Trace{Object: kind.Kind + " " + c.Namespace() + "/" + o.Name, Now: o.Terminal.Now()}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(kind)
	err = c.Get(ctx, c.Namespace(), o.Name, live)
	switch {
	case err == nil:
		found.Live, found.Writers = true, live.GetManagedFields()
	case !cluster.IsKind(err, cluster.NotFound):
		return err
	}
	if found.Links, err = links(ctx, c, kind, o.Name); err != nil {
		return err
	}
	if !found.Live && len(found.Links) == 0 {
		return err404(found.Object)
	}
	return o.Terminal.Print(found, o.Format)
}

func err404(object string) error {
	return &cluster.Fault{Kind: cluster.NotFound, What: object + " is neither in the cluster nor in any inventory", Next: "Check the kind, the name and -n."}
}

// links looks into the inventories of every namespace, or of this one where
// the others may not be read: an Application may own objects elsewhere.
func links(ctx context.Context, c *cluster.Cluster, kind schema.GroupVersionKind, name string) ([]report.TraceLink, error) {
	apps, err := c.Applications(ctx, "")
	if cluster.IsKind(err, cluster.Forbidden) {
		apps, err = c.Applications(ctx, c.Namespace())
	}
	if err != nil {
		return nil, err
	}
	var found []report.TraceLink
	for i := range apps {
		pages, err := c.InventoryPages(ctx, &apps[i])
		if err != nil {
			return nil, err
		}
		for _, page := range pages {
			for _, e := range page.Status.Objects {
				if e.Object.Kind == kind.Kind && e.Object.Group == kind.Group && e.Object.Name == name && e.Object.Namespace == c.Namespace() {
					found = append(found, link(ctx, c, &apps[i], e))
				}
			}
		}
	}
	return found, nil
}

func link(ctx context.Context, c *cluster.Cluster, app *v1alpha1.Application, e v1alpha1.InventoryEntry) report.TraceLink {
	l := report.TraceLink{Application: app, Entry: e}
	ref := app.Spec.SourceRef
	named, err := target.Parse(ref.Kind+"/"+ref.Name, "GitRepository", "OCIRepository")
	if err != nil {
		l.Why = err.Error()
		return l
	}
	namespace := ref.Namespace
	if namespace == "" {
		namespace = app.Namespace
	}
	o := named.Object(namespace)
	if err := c.Get(ctx, namespace, ref.Name, o); err != nil {
		l.Why = err.Error()
		return l
	}
	l.Source = report.TraceSourceOf(o)
	return l
}
