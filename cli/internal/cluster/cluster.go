// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	secretsv1 "github.com/holdfast-gitops/holdfast/api/secrets/v1alpha1"
)

// Cluster reads from one API server.
type Cluster struct {
	config *rest.Config
	scheme *runtime.Scheme
	reader client.Reader
	// creator sends reviews: questions that the API takes as objects.
	creator   client.Writer
	versions  discovery.DiscoveryInterface
	namespace string
	at        place
}

// Versions of a cluster: its own, and those of Holdfast's API groups.
type Versions struct {
	Kubernetes string
	Groups     []string
}

// Versions asks for them.
func (c *Cluster) Versions(context.Context) (Versions, error) {
	info, err := c.versions.ServerVersion()
	if err != nil {
		return Versions{}, c.at.explain(err, "its version")
	}
	groups, err := c.versions.ServerGroups()
	if err != nil {
		return Versions{}, c.at.explain(err, "its API groups")
	}
	v := Versions{Kubernetes: info.GitVersion}
	for _, group := range groups.Groups {
		if group.Name != v1alpha1.GroupVersion.Group && group.Name != secretsv1.GroupVersion.Group {
			continue
		}
		for _, served := range group.Versions {
			v.Groups = append(v.Groups, served.GroupVersion)
		}
	}
	return v, nil
}

// Namespace that the user works in.
func (c *Cluster) Namespace() string { return c.namespace }

// Applications of a namespace; "" is every one.
func (c *Cluster) Applications(ctx context.Context, namespace string) ([]v1alpha1.Application, error) {
	var found v1alpha1.ApplicationList
	if err := c.reader.List(ctx, &found, client.InNamespace(namespace)); err != nil {
		return nil, c.at.explain(err, "applications.drift.holdfast.dev")
	}
	return found.Items, nil
}

// Application by name. One that is not there is answered with names that come
// near.
func (c *Cluster) Application(ctx context.Context, namespace, name string) (*v1alpha1.Application, error) {
	var app v1alpha1.Application
	err := c.reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &app)
	if apierrors.IsNotFound(err) {
		return nil, c.notFound(ctx, namespace, name, err)
	}
	if err != nil {
		return nil, c.at.explain(err, "applications.drift.holdfast.dev")
	}
	return &app, nil
}

// notFound looks for what was meant, as far as the user may list: all
// namespaces, else the one that was named. That it may not is no news here.
func (c *Cluster) notFound(ctx context.Context, namespace, name string, cause error) error {
	apps, err := c.Applications(ctx, "")
	if err != nil {
		apps, err = c.Applications(ctx, namespace)
	}
	next := "List them with: holdfast get applications -A"
	if err == nil && len(apps) == 0 {
		next = "There are none yet: an Application binds a path of a Git repository to a namespace (see config/samples)."
	}
	if near := Near(namespace, name, apps); len(near) > 0 {
		next = "Did you mean " + list(near, "") + "?"
	}
	return &Fault{Kind: NotFound, What: "there is no Application " + name + " in namespace " + namespace, Next: next, Cause: cause}
}

// DriftPages of an Application.
func (c *Cluster) DriftPages(ctx context.Context, app *v1alpha1.Application) ([]v1alpha1.DriftReport, error) {
	var pages v1alpha1.DriftReportList
	if err := c.reader.List(ctx, &pages, pagesOf(app)...); err != nil {
		return nil, c.at.explain(err, "driftreports.drift.holdfast.dev")
	}
	return pages.Items, nil
}

// SecretPages of an Application.
func (c *Cluster) SecretPages(ctx context.Context, app *v1alpha1.Application) ([]secretsv1.SecretReport, error) {
	var pages secretsv1.SecretReportList
	if err := c.reader.List(ctx, &pages, pagesOf(app)...); err != nil {
		return nil, c.at.explain(err, "secretreports.secrets.holdfast.dev")
	}
	return pages.Items, nil
}

func pagesOf(app *v1alpha1.Application) []client.ListOption {
	return []client.ListOption{
		client.InNamespace(app.Namespace),
		client.MatchingLabels{contract.ApplicationLabel: app.Name},
	}
}
