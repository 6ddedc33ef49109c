// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package create

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/accounts"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/engine"
	"github.com/holdfast-gitops/holdfast/cli/internal/manifests"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// ApplicationOptions of "create application".
type ApplicationOptions struct {
	Name, Source, Path, Project, Destination string
	// Stage is the ceiling; "" leaves that of an Application that is there.
	Stage string
	// Local is a checkout that is rendered for its kinds; Kinds names them.
	Local  string
	Kinds  []string
	Export bool
	// Strays gives the observer the right to look for them in all kinds.
	Strays bool

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// NewApplication is "create application".
func NewApplication(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, ApplicationOptions) error) *cobra.Command {
	o := ApplicationOptions{Connect: connect, Terminal: t}
	if run == nil {
		run = application
	}
	cmd := &cobra.Command{
		Use:     "application NAME --source KIND/NAME --path PATH (--local DIR | --kinds LIST)",
		Aliases: []string{"app"},
		Short:   "Make an Application with its accounts and Roles",
		Long: `Make an Application, the service accounts that it acts as, and Roles for exactly
the kinds that it declares: an observer that may only dry-run; from Sync on a
deployer that creates and patches; at Prune a pruner that deletes (no volume
claims, namespaces or CRDs). The drift-controller may act as these and no other.

The kinds come from a checkout (--local), which is rendered as the controller
would, or from a list (--kinds deployments.apps,configmaps).

The observer may list no other kinds, so that strays of other kinds are not
looked for, and one note says so. --strays adds the verb list, and no other, on
all kinds of the namespace but Secrets, where to list is to read.

Run it again to change it: with a higher stage, or after a new kind was declared.
Without --stage the ceiling stays as it is.`,
		Example: `  # Watch only
  holdfast create application users-api -n users --source GitRepository/prod-manifests.holdfast-system --path services/users-api --local .

  # For Git, up to SelfHeal
  holdfast create application users-api -n users --source GitRepository/repo --path app --stage SelfHeal --kinds deployments.apps,configmaps --export`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Source, "source", "", "the source, as KIND/NAME or KIND/NAME.NAMESPACE (required)")
	f.StringVar(&o.Path, "path", ".", "folder within the source")
	f.StringVar(&o.Project, "project", "", "Project that limits it")
	f.StringVar(&o.Destination, "destination", "", "namespace of the objects (default: the Application's own)")
	f.StringVar(&o.Stage, "stage", "", "ceiling: Observe, Sync, SelfHeal or Prune (default: as it is, Observe for a new one)")
	f.StringVar(&o.Local, "local", "", "checkout of the source, rendered for its kinds")
	f.StringSliceVar(&o.Kinds, "kinds", nil, "kinds that it declares, as in deployments.apps,configmaps")
	f.BoolVar(&o.Strays, "strays", false, "let the observer list all kinds but Secrets, to look for strays")
	f.BoolVar(&o.Export, "export", false, "print everything and change nothing")
	return cmd
}

var errNoKinds = errors.New("rights are given for exactly the kinds that it declares: name a checkout with --local, or the kinds with --kinds")

func application(ctx context.Context, o ApplicationOptions) error {
	if (o.Local == "") == (len(o.Kinds) == 0) {
		return errNoKinds
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if o.Stage == "" {
		if o.Stage, err = ceiling(ctx, c, o.Name); err != nil {
			return err
		}
	}
	app, err := o.declare(c.Namespace())
	if err != nil {
		return err
	}
	kinds, err := o.kinds(ctx, c, app)
	if err != nil {
		return err
	}
	listed, err := o.listed(ctx, c)
	if err != nil {
		return err
	}
	var objects []*unstructured.Unstructured
	for _, a := range accounts.Objects(accounts.Input{Application: app, Kinds: kinds, Listed: listed, Controller: manifests.Namespace}) {
		u, err := plain(a)
		if err != nil {
			return err
		}
		objects = append(objects, u)
	}
	u, err := plain(app)
	if err != nil {
		return err
	}
	// The Application comes last: what it acts as is there then.
	objects = append(objects, u)
	if o.Export {
		return Print(o.Terminal.Out, objects)
	}
	return apply(ctx, c, o.Terminal, objects)
}

func (o ApplicationOptions) declare(namespace string) (*v1alpha1.Application, error) {
	kind, rest, found := strings.Cut(o.Source, "/")
	name, in, _ := strings.Cut(rest, ".")
	if !found || name == "" || kind != "GitRepository" && kind != "OCIRepository" {
		return nil, fmt.Errorf("--source %q: write GitRepository/NAME or OCIRepository/NAME, with .NAMESPACE if it is another", o.Source)
	}
	at := slices.IndexFunc(report.StageOrder, func(s v1alpha1.Stage) bool { return strings.EqualFold(string(s), o.Stage) })
	if at < 0 {
		return nil, fmt.Errorf("--stage %q: it is one of Observe, Sync, SelfHeal, Prune", o.Stage)
	}
	app := &v1alpha1.Application{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Application"},
		ObjectMeta: metav1.ObjectMeta{Name: o.Name, Namespace: namespace},
		Spec: v1alpha1.ApplicationSpec{
			Project: o.Project, Path: o.Path, Stage: report.StageOrder[at],
			SourceRef:   v1alpha1.SourceReference{Kind: kind, Name: name, Namespace: in},
			Destination: v1alpha1.Destination{Namespace: o.Destination},
			Identity:    v1alpha1.Identity{Observe: o.Name + "-observer"},
		},
	}
	if at >= 1 {
		app.Spec.Identity.Apply = o.Name + "-deployer"
	}
	if app.Spec.Stage == v1alpha1.StagePrune {
		app.Spec.Identity.Prune = o.Name + "-pruner"
	}
	return app, nil
}

func (o ApplicationOptions) kinds(ctx context.Context, c *cluster.Cluster, app *v1alpha1.Application) ([]accounts.Kind, error) {
	var declared []schema.GroupVersionKind
	for _, word := range o.Kinds {
		kind, err := c.KindOf(word)
		if err != nil {
			return nil, err
		}
		declared = append(declared, kind)
	}
	if o.Local != "" {
		var err error
		if declared, err = engine.Declares(ctx, c, app, engine.Folders(o.Local, "", "")); err != nil {
			return nil, err
		}
	}
	return resources(c, declared)
}

// ceiling of an Application that is there, which its observer may be made anew
// for; a new one begins at Observe.
func ceiling(ctx context.Context, c *cluster.Cluster, name string) (string, error) {
	var app v1alpha1.Application
	err := c.Get(ctx, c.Namespace(), name, &app)
	if cluster.IsKind(err, cluster.NotFound) || cluster.IsKind(err, cluster.NotInstalled) {
		return string(v1alpha1.StageObserve), nil
	}
	return cmp.Or(string(app.Spec.Stage), string(v1alpha1.StageObserve)), err
}

// listed are the kinds that strays are looked for in, if that was asked.
func (o ApplicationOptions) listed(ctx context.Context, c *cluster.Cluster) ([]accounts.Kind, error) {
	if !o.Strays {
		return nil, nil
	}
	searched, err := engine.Searched(ctx, c)
	if err != nil {
		return nil, err
	}
	return resources(c, slices.DeleteFunc(searched, func(k schema.GroupVersionKind) bool { return k.Group == "" && k.Kind == "Secret" }))
}

// resources are kinds as RBAC names them.
func resources(c *cluster.Cluster, declared []schema.GroupVersionKind) ([]accounts.Kind, error) {
	var kinds []accounts.Kind
	for _, kind := range declared {
		resource, namespaced, err := c.ResourceOf(kind)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, accounts.Kind{Group: kind.Group, Resource: resource, Namespaced: namespaced})
	}
	return kinds, nil
}
