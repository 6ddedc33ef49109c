// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package emergency

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/writer"
)

// CloseOptions of "breakglass close".
type CloseOptions struct {
	Application string
	// Name of the BreakGlass, where the application has several.
	Name string

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
}

// NewClose is the command; tests pass a run of their own to see the options.
func NewClose(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, CloseOptions) error) *cobra.Command {
	o := CloseOptions{Connect: connect, Terminal: t}
	if run == nil {
		run = end
	}
	cmd := &cobra.Command{
		Use:   "close APPLICATION",
		Short: "End an emergency before its time",
		Long: `End an emergency before its time. That is an end like any other: edits that are
not in Git keep healing off until they are (or are reverted, if the Project says
so), and are listed.`,
		Example: `  # End it
  holdfast breakglass close users-api -n users`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Application = args[0]
			return run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&o.Name, "name", "", "the BreakGlass, where the application has several")
	return cmd
}

func end(ctx context.Context, o CloseOptions) error {
	c, err := o.Connect()
	if err != nil {
		return err
	}
	w, err := writer.New(c)
	if err != nil {
		return err
	}
	var all v1alpha1.BreakGlassList
	if err := c.List(ctx, &all, client.InNamespace(c.Namespace())); err != nil {
		return err
	}
	all.Items = slices.DeleteFunc(all.Items, func(b v1alpha1.BreakGlass) bool {
		return b.Spec.Application != o.Application || o.Name != "" && b.Name != o.Name || !b.DeletionTimestamp.IsZero()
	})
	if len(all.Items) == 0 {
		return &cluster.Fault{Kind: cluster.NotFound,
			What: fmt.Sprintf("no emergency of Application %s is open in namespace %s", o.Application, c.Namespace()),
			Next: "List them with: holdfast get breakglass -A"}
	}
	if len(all.Items) > 1 {
		var names []string
		for _, b := range all.Items {
			names = append(names, b.Name)
		}
		return fmt.Errorf("application %s has several emergencies: name one of %s with --name", o.Application, strings.Join(names, ", "))
	}
	b := &all.Items[0]
	if err := w.Delete(ctx, b); err != nil {
		return err
	}
	for _, line := range ended(b) {
		fmt.Fprintln(o.Terminal.Out, screen.Clean(line))
	}
	return nil
}

// ended says what the emergency leaves behind, as far as it was known when it
// was closed.
func ended(b *v1alpha1.BreakGlass) []string {
	lines := []string{fmt.Sprintf("%s/%s: the emergency is over.", b.Namespace, b.Spec.Application)}
	switch {
	case b.Status.Phase == "":
		lines = append(lines, "The drift-controller never reported on it, so it is not known which edits are not in Git.")
	case b.Status.Counts.NotInGit == 0:
		lines = append(lines, "Every edit that was seen is in Git.")
	default:
		lines = append(lines, fmt.Sprintf("%d edits are not in Git, and keep healing off:", b.Status.Counts.NotInGit))
		for _, edit := range b.Status.NotInGit {
			lines = append(lines, "  "+edit)
		}
		lines = append(lines, fmt.Sprintf("Commit them: holdfast adopt %s -n %s", b.Spec.Application, b.Namespace))
	}
	return lines
}
