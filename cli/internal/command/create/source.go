// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package create

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/terminal"
)

// SourceOptions of both kinds.
type SourceOptions struct {
	Name, URL           string
	Branch, Tag, Semver string
	SecretRef           string
	Interval            time.Duration
	Export              bool

	Connect  func() (*cluster.Cluster, error)
	Terminal terminal.Terminal
	make     func(SourceOptions, string) runtime.Object
	scheme   string
}

// NewGit is "create source git".
func NewGit(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, SourceOptions) error) *cobra.Command {
	o := &SourceOptions{Connect: connect, Terminal: t, make: git, scheme: "http, https or ssh"}
	cmd := o.command(run, &cobra.Command{
		Use:   "git NAME --url URL",
		Short: "Make a GitRepository",
		Example: `  # A public repository
  holdfast create source git prod-manifests -n holdfast-system --url https://git.example.com/platform/prod-manifests --branch main

  # For Git
  holdfast create source git prod-manifests -n holdfast-system --url ssh://git@git.example.com/platform/prod --branch main --secret-ref prod-key --export`,
	})
	cmd.Flags().StringVar(&o.Branch, "branch", "", "branch to follow")
	return cmd
}

// NewOCI is "create source oci".
func NewOCI(t terminal.Terminal, connect func() (*cluster.Cluster, error), run func(context.Context, SourceOptions) error) *cobra.Command {
	o := &SourceOptions{Connect: connect, Terminal: t, make: oci, scheme: "oci"}
	return o.command(run, &cobra.Command{
		Use:   "oci NAME --url URL",
		Short: "Make an OCIRepository",
		Example: `  # The newest release of a range
  holdfast create source oci prod-manifests -n holdfast-system --url oci://registry.example.com/platform/prod --semver ">=1.0.0"`,
	})
}

func (o *SourceOptions) command(run func(context.Context, SourceOptions) error, cmd *cobra.Command) *cobra.Command {
	if run == nil {
		run = source
	}
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.Name = args[0]
		return run(cmd.Context(), *o)
	}
	cmd.Flags().StringVar(&o.URL, "url", "", "address (required): "+o.scheme)
	cmd.Flags().StringVar(&o.Tag, "tag", "", "tag to follow")
	cmd.Flags().StringVar(&o.Semver, "semver", "", "range of versions, the highest of which is followed")
	cmd.Flags().StringVar(&o.SecretRef, "secret-ref", "", "Secret of the same namespace with the credential")
	cmd.Flags().DurationVar(&o.Interval, "interval", time.Minute, "how often to look")
	cmd.Flags().BoolVar(&o.Export, "export", false, "print it and change nothing")
	return cmd
}

var errCredential = errors.New("--url holds a user or a password: leave it out and name a Secret with --secret-ref; " +
	"an object is read by everybody who may view the namespace")

func source(ctx context.Context, o SourceOptions) error {
	address, err := url.Parse(o.URL)
	if err != nil || address.Host == "" || !strings.Contains(o.scheme, address.Scheme) {
		return fmt.Errorf("--url %q: write an address that begins with %s", o.URL, o.scheme)
	}
	if _, secret := address.User.Password(); secret || address.User != nil && address.Scheme != "ssh" {
		return errCredential
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	u, err := plain(o.make(o, c.Namespace()))
	if err != nil {
		return err
	}
	if o.Export {
		return Print(o.Terminal.Out, []*unstructured.Unstructured{u})
	}
	return apply(ctx, c, o.Terminal, []*unstructured.Unstructured{u})
}

func secretRef(name string) *fluxmeta.LocalObjectReference {
	if name == "" {
		return nil
	}
	return &fluxmeta.LocalObjectReference{Name: name}
}

func git(o SourceOptions, namespace string) runtime.Object {
	return &sourcev1.GitRepository{
		TypeMeta:   metav1.TypeMeta{APIVersion: sourcev1.GroupVersion.String(), Kind: sourcev1.GitRepositoryKind},
		ObjectMeta: metav1.ObjectMeta{Name: o.Name, Namespace: namespace},
		Spec: sourcev1.GitRepositorySpec{
			URL: o.URL, Interval: metav1.Duration{Duration: o.Interval}, SecretRef: secretRef(o.SecretRef),
			Reference: &sourcev1.GitRepositoryRef{Branch: o.Branch, Tag: o.Tag, SemVer: o.Semver},
		},
	}
}

func oci(o SourceOptions, namespace string) runtime.Object {
	return &sourcev1.OCIRepository{
		TypeMeta:   metav1.TypeMeta{APIVersion: sourcev1.GroupVersion.String(), Kind: sourcev1.OCIRepositoryKind},
		ObjectMeta: metav1.ObjectMeta{Name: o.Name, Namespace: namespace},
		Spec: sourcev1.OCIRepositorySpec{
			URL: o.URL, Interval: metav1.Duration{Duration: o.Interval}, SecretRef: secretRef(o.SecretRef),
			Reference: &sourcev1.OCIRepositoryRef{Tag: o.Tag, SemVer: o.Semver},
		},
	}
}
