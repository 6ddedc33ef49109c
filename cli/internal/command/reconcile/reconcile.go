// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package reconcile is "reconcile": look now instead of at the next interval.
//
// In: an Application, source or nothing more. Out: what the controller found,
// once it proves by its status that it served this very request. It writes one
// annotation, Flux's own.
package reconcile

import (
	"context"
	"fmt"
	"time"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/target"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/writer"
)

// Options of the verb.
type Options struct {
	Target target.Target
	// WithSource asks an Application's source first.
	WithSource bool
	Wait       bool
	Timeout    time.Duration

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

const examples = `  # Compare now
  holdfast reconcile users-api -n users

  # Fetch first, then compare what was fetched
  holdfast reconcile users-api -n users --with-source

  # Only fetch
  holdfast reconcile GitRepository/prod-manifests -n holdfast-system`

// New is the command; tests pass a run of their own to see the options.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, Options) error) *cobra.Command {
	o := Options{Connect: connect, Terminal: t}
	if run == nil {
		run = reconcile
	}
	cmd := &cobra.Command{
		Use:   "reconcile NAME|KIND/NAME",
		Short: "Ask a controller to look now",
		Long: `Ask a controller to look at an application or a source now, and wait until its
status proves that it did. It writes the annotation reconcile.fluxcd.io/requestedAt
and nothing else; the stage decides what the controller may write then.`,
		Example: examples,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.Target, err = target.Parse(args[0], "Application", "GitRepository", "OCIRepository"); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.WithSource, "with-source", false, "ask the application's source first")
	cmd.Flags().BoolVar(&o.Wait, "wait", true, "wait until the controller has looked")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", time.Minute, "how long to wait")
	return cmd
}

func reconcile(ctx context.Context, o Options) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	w, err := writer.New(c)
	if err != nil {
		return err
	}
	object := o.Target.Object(c.Namespace())
	if err := c.Get(ctx, object.GetNamespace(), object.GetName(), object); err != nil {
		return err
	}
	if app, ok := object.(*v1alpha1.Application); ok && o.WithSource {
		if err := o.source(ctx, c, w, app); err != nil {
			return err
		}
	}
	return o.ask(ctx, c, w, object)
}

// source asks the source of an Application and waits for what it fetched.
func (o Options) source(ctx context.Context, c *cluster.Cluster, w *writer.Writer, app *v1alpha1.Application) error {
	ref := app.Spec.SourceRef
	named, err := target.Parse(ref.Kind+"/"+ref.Name, "GitRepository", "OCIRepository")
	if err != nil {
		return err
	}
	namespace := ref.Namespace
	if namespace == "" {
		namespace = app.Namespace
	}
	object := named.Object(namespace)
	if err := c.Get(ctx, namespace, ref.Name, object); err != nil {
		return err
	}
	return o.ask(ctx, c, w, object)
}

func (o Options) ask(ctx context.Context, c *cluster.Cluster, w *writer.Writer, object client.Object) error {
	name := title(object)
	if suspended(object) {
		return &cluster.Fault{Kind: cluster.Refused, What: name + " is suspended, so nobody would look", Next: "Resume it first: holdfast resume."}
	}
	token := o.Terminal.Now().Format(time.RFC3339Nano)
	change := map[string]any{"metadata": map[string]any{"annotations": map[string]any{contract.RequestedAtAnnotation: token}}}
	if err := w.Merge(ctx, object, change); err != nil {
		return err
	}
	if !o.Wait {
		fmt.Fprintf(o.Terminal.Out, "%s: asked\n", screen.Clean(name))
		return nil
	}
	err := c.Await(ctx, o.Timeout, "the answer for "+name, func(ctx context.Context) (cluster.Seen, error) {
		if err := c.Get(ctx, object.GetNamespace(), object.GetName(), object); err != nil {
			return cluster.Seen{}, err
		}
		return cluster.Seen{Done: handled(object) == token, Word: "the controller has not looked yet"}, nil
	})
	if err != nil {
		return err
	}
	line, failed := answer(object)
	page := screen.NewPage(o.Terminal.Style)
	page.Prose(0, 2, screen.Plain(name+": "+line))
	fmt.Fprint(o.Terminal.Out, page.String())
	if failed {
		return &cluster.Fault{Kind: cluster.Other, What: name + " is not Ready: " + line}
	}
	return nil
}

// answer is what the controller says now, and whether that is a failure. A
// condition about an older declaration is no answer.
func answer(object client.Object) (line string, failed bool) {
	conditions := object.(interface{ GetConditions() []metav1.Condition }).GetConditions()
	ready := apimeta.FindStatusCondition(conditions, contract.ReadyCondition)
	if ready == nil || ready.ObservedGeneration != object.GetGeneration() {
		return "looked, with no verdict yet", false
	}
	if app, ok := object.(*v1alpha1.Application); ok {
		synced := apimeta.FindStatusCondition(conditions, contract.SyncedCondition)
		if synced != nil && app.Status.Compared != nil && ready.Reason != contract.APIUnavailableReason {
			return fmt.Sprintf("compared %s, Synced=%s: %s", app.Status.Compared.Revision, synced.Status, synced.Message), false
		}
	}
	return fmt.Sprintf("Ready=%s %s: %s", ready.Status, ready.Reason, ready.Message), ready.Status == metav1.ConditionFalse
}

func handled(object client.Object) string {
	switch o := object.(type) {
	case *v1alpha1.Application:
		return o.Status.LastHandledReconcileAt
	case *sourcev1.GitRepository:
		return o.Status.GetLastHandledReconcileRequest()
	case *sourcev1.OCIRepository:
		return o.Status.GetLastHandledReconcileRequest()
	}
	return ""
}

func suspended(object client.Object) bool {
	switch o := object.(type) {
	case *v1alpha1.Application:
		return o.Spec.Suspend
	case *sourcev1.GitRepository:
		return o.Spec.Suspend
	case *sourcev1.OCIRepository:
		return o.Spec.Suspend
	}
	return false
}

func title(object client.Object) string {
	kind := "Application"
	switch object.(type) {
	case *sourcev1.GitRepository:
		kind = sourcev1.GitRepositoryKind
	case *sourcev1.OCIRepository:
		kind = sourcev1.OCIRepositoryKind
	}
	return fmt.Sprintf("%s %s/%s", kind, object.GetNamespace(), object.GetName())
}
