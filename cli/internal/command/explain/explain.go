// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package explain is "explain", everything that is known of one difference.
//
// In: an object, perhaps a path, and the reports of a namespace. Out: one
// screen. It reads what the drift-controller published and nothing else.
package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/drift-controller/keyedpath"
)

// Source of Applications and their pages.
type Source interface {
	Namespace() string
	Applications(ctx context.Context, namespace string) ([]v1alpha1.Application, error)
	DriftPages(ctx context.Context, app *v1alpha1.Application) ([]v1alpha1.DriftReport, error)
	InventoryPages(ctx context.Context, app *v1alpha1.Application) ([]v1alpha1.Inventory, error)
}

// Options of the verb.
type Options struct {
	Object, Path string
	// Application is the one that is meant where several know the object.
	Application string
	Format      screen.Format

	Connect  func() (Source, error)
	Terminal terminal.Terminal
}

// ErrNoObject: no Application of the namespace knows it.
var ErrNoObject = errors.New("no such object")

const examples = `  # Everything that is known of one field
  holdfast explain ConfigMap/users-api-env /data/DB_HOST -n users

  # Every difference of an object
  holdfast explain Deployment/users-api -n users`

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (Source, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = explain
	}
	cmd := &cobra.Command{
		Use:   "explain KIND/NAME [PATH]",
		Short: "Tell everything that is known of one difference",
		Long: `Tell everything that is known of one difference: what Git says and what live
has, where it is declared, who wrote it and since when, who reads it and whether
their pods started before, the rule that decided, what happens at the present
stage, and what settles it. PATH is a pointer as reports print it; what is below
it is told too. The namespace is that of the Applications.`,
		Example: examples,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Object = args[0]; len(args) > 1 {
				o.Path = args[1]
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Application, "application", "", "the Application that is meant, where several know the object")
	output.Flag(cmd, &o.Format, screen.Plaintext, screen.JSON, screen.YAML)
	return cmd
}

func explain(ctx context.Context, o Options) error {
	kind, name, ok := strings.Cut(o.Object, "/")
	if !ok || kind == "" || name == "" {
		return fmt.Errorf("%q is no object: write KIND/NAME, as in ConfigMap/users-api-env", o.Object)
	}
	source, err := o.Connect()
	if err != nil {
		return err
	}
	apps, err := source.Applications(ctx, source.Namespace())
	if err != nil {
		return err
	}
	var found []report.Explanation
	var known []string
	for i := range apps {
		if o.Application != "" && apps[i].Name != o.Application {
			continue
		}
		x, names, err := o.in(ctx, source, &apps[i])
		if err != nil {
			return err
		}
		known = append(known, names...)
		if len(x.Entries) > 0 || x.Verdict != "" {
			found = append(found, x)
		}
	}
	switch {
	case len(found) == 0:
		return fmt.Errorf("%w: no Application of namespace %s declares or reports %s%s", ErrNoObject, source.Namespace(), o.Object, near(known))
	case len(found) > 1:
		var names []string
		for _, x := range found {
			names = append(names, x.Application.Name)
		}
		return fmt.Errorf("%s is known to several Applications: name one of %s with --application", o.Object, strings.Join(names, ", "))
	}
	return o.Terminal.Print(found[0], o.Format)
}

// in looks into one Application; names are objects that it reports.
func (o Options) in(ctx context.Context, source Source, app *v1alpha1.Application) (x report.Explanation, names []string, err error) {
	pages, err := source.DriftPages(ctx, app)
	if err != nil {
		return x, nil, err
	}
	inventory, err := source.InventoryPages(ctx, app)
	if err != nil {
		return x, nil, err
	}
	x = report.Explanation{Drift: report.NewDrift(app, pages, o.Terminal.Now()), Object: o.Object}
	for _, page := range inventory {
		for _, e := range page.Status.Objects {
			if names = append(names, title(e.Object)); o.is(e.Object) {
				x.Verdict = e.Verdict
			}
		}
	}
	for _, e := range x.Entries {
		names = append(names, title(e.Object))
	}
	x.Entries = slices.DeleteFunc(x.Entries, func(e v1alpha1.DriftEntry) bool {
		return !o.is(e.Object) || o.Path != "" && !keyedpath.Within(e.Path, o.Path)
	})
	return x, names, nil
}

func title(o v1alpha1.ObjectReference) string { return o.Kind + "/" + o.Name }

func (o Options) is(object v1alpha1.ObjectReference) bool {
	return strings.EqualFold(o.Object, title(object))
}

// near names what the reader may have meant: a few objects that are known.
func near(known []string) string {
	slices.Sort(known)
	known = slices.Compact(known)
	const most = 8
	if len(known) == 0 {
		return "; list Applications with: holdfast get applications -A"
	}
	rest := ""
	if len(known) > most {
		rest = fmt.Sprintf(" and %d more", len(known)-most)
		known = known[:most]
	}
	return "; there are " + strings.Join(known, ", ") + rest
}
