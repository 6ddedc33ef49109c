// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package emergency is "breakglass open" and "breakglass close".
//
// In: an Application, how long, and why. Out: a BreakGlass, or its end. It
// never touches a managed object: that is what the emergency is for.
package emergency

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/writer"
)

// New is "breakglass" with its two verbs.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "breakglass",
		Short: "Open and close emergencies: repair by hand without being undone",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for %q; there are open and close", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(NewOpen(t, connect, nil), NewClose(t, connect, nil))
	return cmd
}

// OpenOptions of "breakglass open".
type OpenOptions struct {
	Application string
	For         time.Duration
	Reason      string
	RequestedBy string
	// Objects in scope, as KIND/NAME; none is the whole application.
	Objects []string
	Timeout time.Duration

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// NewOpen is the command; tests pass a run of their own to see the options.
func NewOpen(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, OpenOptions) error) *cobra.Command {
	o := OpenOptions{Connect: connect, Terminal: t}
	if run == nil {
		run = open
	}
	cmd := &cobra.Command{
		Use:   "open APPLICATION --for DURATION --reason TEXT",
		Short: "Stop sync, heal and prune of one application for a while",
		Long: `Stop sync, heal and prune of one application, or of some of its objects, so that
it can be repaired by hand. Detection goes on, and what you edit is listed. It
ends by itself; edits that are not in Git by then keep healing off, with an
alarm, until they are.`,
		Example: `  # Two hours for the whole application
  holdfast breakglass open users-api -n users --for 2h --reason "pgbouncer failover"

  # One object only
  holdfast breakglass open users-api -n users --for 30m --reason "DB_HOST" --object ConfigMap/users-api-env`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Application = args[0]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().DurationVar(&o.For, "for", 0, "how long, as in 2h (required)")
	cmd.Flags().StringVar(&o.Reason, "reason", "", "why, for those who look at it later (required)")
	cmd.Flags().StringVar(&o.RequestedBy, "requested-by", "", "who owns it (default: who the API server takes you for)")
	cmd.Flags().StringSliceVar(&o.Objects, "object", nil, "an object in scope as KIND/NAME; none is the whole application")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", time.Minute, "how long to wait for the controller to confirm")
	return cmd
}

func open(ctx context.Context, o OpenOptions) error {
	if o.For <= 0 || strings.TrimSpace(o.Reason) == "" {
		return fmt.Errorf("an emergency has an end and a reason: give --for, as in --for 2h, and --reason")
	}
	scope, err := selectors(o.Objects)
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	w, err := writer.New(c)
	if err != nil {
		return err
	}
	app, err := c.Application(ctx, c.Namespace(), o.Application)
	if err != nil {
		return err
	}
	if o.RequestedBy == "" {
		if o.RequestedBy, err = c.User(ctx); err != nil {
			return err
		}
	}
	b := &v1alpha1.BreakGlass{
		ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, GenerateName: app.Name + "-"},
		Spec: v1alpha1.BreakGlassSpec{
			Application: app.Name, Objects: scope, Reason: o.Reason, RequestedBy: o.RequestedBy,
			Until: metav1.NewTime(o.Terminal.Now().Add(o.For)),
		},
	}
	if err := w.Create(ctx, b); err != nil {
		return err
	}
	return o.confirm(ctx, c, b)
}

// confirm waits until the drift-controller says that it is open: until then a
// write that had begun may still end.
func (o OpenOptions) confirm(ctx context.Context, c *cluster.Cluster, b *v1alpha1.BreakGlass) error {
	err := c.Await(ctx, o.Timeout, "the drift-controller's word on BreakGlass "+b.Name, func(ctx context.Context) (cluster.Seen, error) {
		err := c.Get(ctx, b.Namespace, b.Name, b)
		return cluster.Seen{Done: b.Status.Phase != "", Word: "its status is empty"}, err
	})
	if cluster.IsKind(err, cluster.TimedOut) {
		return &cluster.Fault{Kind: cluster.TimedOut, Cause: err,
			What: fmt.Sprintf("BreakGlass %s/%s is stored, but the drift-controller has not confirmed it within %s", b.Namespace, b.Name, o.Timeout),
			Next: "Nothing is written against it: it is read before each write. Edits are listed once the controller runs; see holdfast check."}
	}
	if err != nil {
		return err
	}
	what := "sync, heal and prune are off"
	if len(b.Spec.Objects) > 0 {
		what += " for " + strings.Join(o.Objects, ", ")
	}
	page := screen.NewPage(o.Terminal.Style)
	page.Prose(0, 2, screen.Plain(fmt.Sprintf("%s/%s: %s until %s. Edits you make are being listed.",
		b.Namespace, b.Spec.Application, what, o.Terminal.Style.Date(b.Spec.Until.Time))))
	page.Verbatim(0, screen.Plain(fmt.Sprintf("See them: holdfast get breakglass %s -n %s -o yaml", b.Name, b.Namespace)))
	page.Verbatim(0, screen.Plain(fmt.Sprintf("End it before: holdfast breakglass close %s -n %s", b.Spec.Application, b.Namespace)))
	fmt.Fprint(o.Terminal.Out, page.String())
	return nil
}

func selectors(objects []string) ([]v1alpha1.KindSelector, error) {
	var all []v1alpha1.KindSelector
	for _, o := range objects {
		kind, name, found := strings.Cut(o, "/")
		if !found || kind == "" || name == "" {
			return nil, fmt.Errorf("--object %q: write KIND/NAME or KIND.GROUP/NAME, as in ConfigMap/users-api-env", o)
		}
		s := v1alpha1.KindSelector{Group: "*", Kind: kind, Name: name}
		if short, group, has := strings.Cut(kind, "."); has {
			s.Kind, s.Group = short, group
		}
		all = append(all, s)
	}
	return all, nil
}
