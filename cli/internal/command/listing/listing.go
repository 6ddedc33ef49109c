// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package listing is "get NOUN" for nouns that are a table of objects.
//
// In: how a noun is read and what its columns are. Out: the command. It never
// changes the cluster.
package listing

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/command/output"
	"github.com/holdfast-gitops/holdfast/cli/internal/report"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// Noun is one kind, or several that are looked at together.
type Noun struct {
	Use, Plural, Short, Long, Example string
	Aliases                           []string
	// Unscoped kinds have no namespace.
	Unscoped bool
	// Read gives the table of a namespace; "" is every one.
	Read func(ctx context.Context, c *cluster.Cluster, namespace string) (report.Listing, error)
}

// New is the command.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error), n Noun) *cobra.Command {
	var format screen.Format
	var all bool
	cmd := &cobra.Command{
		Use: n.Use + " [NAME...]", Aliases: n.Aliases, Short: n.Short, Long: n.Long, Example: n.Example,
		RunE: func(cmd *cobra.Command, names []string) error {
			c, err := connect()
			if err != nil {
				return err
			}
			namespace := c.Namespace()
			if all || n.Unscoped {
				namespace = ""
			}
			found, err := n.Read(cmd.Context(), c, namespace)
			if err != nil {
				return err
			}
			if found, err = found.Only(names); err != nil {
				return err
			}
			found.WithNamespace, found.Wide, found.Now = all, format == screen.Wide, t.Now()
			if len(found.Items) == 0 && (format == screen.Table || format == screen.Wide) {
				fmt.Fprintln(t.Err, nothing(n, namespace))
				return nil
			}
			return t.Print(found, format)
		},
	}
	if !n.Unscoped {
		cmd.Flags().BoolVarP(&all, "all-namespaces", "A", false, "show those of every namespace")
	}
	output.Flag(cmd, &format, screen.Table, screen.Wide, screen.JSON, screen.YAML, screen.Name)
	return cmd
}

func nothing(n Noun, namespace string) string {
	if namespace == "" {
		return "No " + n.Plural + " in the cluster."
	}
	return "No " + n.Plural + " in namespace " + namespace + ". -A shows those of every namespace."
}
