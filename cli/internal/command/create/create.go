// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package create is "create": sources, and Applications with their accounts.
//
// In: flags, perhaps a checkout that is rendered for its kinds. Out: objects
// applied, or printed. What exists and was made by somebody else is refused.
package create

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/screen"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
	"github.com/holdfast-gitops/holdfast/cli/internal/writer"
)

// New is "create" with its nouns.
func New(t terminal.Terminal, connect func() (*cluster.Cluster, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make sources and applications, or print them for Git",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for %q; there are application and source", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	source := &cobra.Command{
		Use:   "source",
		Short: "Make a Git or OCI repository as a source",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for %q; there are git and oci", args[0], cmd.CommandPath())
			}
			return cmd.Help()
		},
	}
	source.AddCommand(NewGit(t, connect, nil), NewOCI(t, connect, nil))
	cmd.AddCommand(source, NewApplication(t, connect, nil))
	return cmd
}

// plain is an object as it is written into Git: no status, no empty times.
func plain(o runtime.Object) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, fmt.Errorf("encoding %T: %w", o, err)
	}
	u := &unstructured.Unstructured{Object: content}
	unstructured.RemoveNestedField(u.Object, "status")
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	return u, nil
}

// Print writes objects as YAML documents.
func Print(to io.Writer, objects []*unstructured.Unstructured) error {
	for _, u := range objects {
		text, err := yaml.Marshal(u.Object)
		if err != nil {
			return fmt.Errorf("printing %s %s: %w", u.GetKind(), u.GetName(), err)
		}
		fmt.Fprintf(to, "---\n%s", text)
	}
	return nil
}

// apply sends objects in their order. A field that somebody else set is theirs;
// one that another verb of ours set, as holdfast stage does, is not.
func apply(ctx context.Context, c *cluster.Cluster, t terminal.Terminal, objects []*unstructured.Unstructured) error {
	w, err := writer.New(c)
	if err != nil {
		return err
	}
	for _, u := range objects {
		title := u.GetKind() + " " + client.ObjectKeyFromObject(u).String()
		if err := w.Own(ctx, u); err != nil {
			return w.Explain(err, "applying", u)
		}
		fmt.Fprintf(t.Out, "applied: %s\n", screen.Clean(title))
	}
	return nil
}
