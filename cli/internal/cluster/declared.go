// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"

	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Config is the connection itself, for the packages that judge.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Project by name; it is cluster-scoped.
func (c *Cluster) Project(ctx context.Context, name string) (*v1alpha1.Project, error) {
	var project v1alpha1.Project
	err := c.reader.Get(ctx, client.ObjectKey{Name: name}, &project)
	if apierrors.IsNotFound(err) {
		return nil, &Fault{Kind: NotFound, What: "there is no Project " + name, Cause: err,
			Next: "Create it, or correct spec.project of the Application."}
	}
	if err != nil {
		return nil, c.at.explain(err, "projects.drift.holdfast.dev")
	}
	return &project, nil
}

// InventoryPages of an Application.
func (c *Cluster) InventoryPages(ctx context.Context, app *v1alpha1.Application) ([]v1alpha1.Inventory, error) {
	var pages v1alpha1.InventoryList
	if err := c.reader.List(ctx, &pages, pagesOf(app)...); err != nil {
		return nil, c.at.explain(err, "inventories.drift.holdfast.dev")
	}
	return pages.Items, nil
}

// IgnoreOf is spec.ignore of an Application's source, nil if it has none. A
// source that is not there yet ignores nothing; one that may not be read is an
// error, since a wrong tree gives a wrong answer.
func (c *Cluster) IgnoreOf(ctx context.Context, app *v1alpha1.Application) (*string, error) {
	ref := app.Spec.SourceRef
	key := client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}
	if key.Namespace == "" {
		key.Namespace = app.Namespace
	}
	var git sourcev1.GitRepository
	var oci sourcev1.OCIRepository
	var source client.Object = &git
	if ref.Kind == sourcev1.OCIRepositoryKind {
		source = &oci
	}
	err := c.reader.Get(ctx, key, source)
	if err != nil && !apierrors.IsNotFound(err) && !apimeta.IsNoMatchError(err) {
		return nil, c.at.explain(err, fmt.Sprintf("%s %s (its spec.ignore says what is no part of the source)", ref.Kind, key))
	}
	if ref.Kind == sourcev1.OCIRepositoryKind {
		return oci.Spec.Ignore, nil
	}
	return git.Spec.Ignore, nil
}

// Content reads the data of a ConfigMap or Secret.
func (c *Cluster) Content(ctx context.Context, namespace, kind, name string) (map[string][]byte, bool, error) {
	key := client.ObjectKey{Namespace: namespace, Name: name}
	data := map[string][]byte{}
	var err error
	if kind == "Secret" {
		var secret corev1.Secret
		err = c.reader.Get(ctx, key, &secret)
		data = secret.Data
	} else {
		var config corev1.ConfigMap
		err = c.reader.Get(ctx, key, &config)
		for k, v := range config.Data {
			data[k] = []byte(v)
		}
	}
	if apierrors.IsNotFound(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, c.at.explain(err, fmt.Sprintf("%s %s", kind, key))
	}
	return data, true, nil
}
