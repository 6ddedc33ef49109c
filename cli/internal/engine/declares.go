// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

// Searched are the kinds that strays are looked for in.
func Searched(ctx context.Context, c *cluster.Cluster) (kinds []schema.GroupVersionKind, err error) {
	looking, err := observe.Connect(c.Config(), observe.Options{})
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	all, err := looking.Searched(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking the cluster for its kinds: %w", err)
	}
	for _, r := range all {
		kinds = append(kinds, r.Kind)
	}
	return kinds, nil
}

// Declares renders an Application that need not exist yet, and gives the kinds
// that it declares. An incomplete render is an error: rights for half of the
// kinds would be found out one refusal at a time.
func Declares(ctx context.Context, c *cluster.Cluster, app *v1alpha1.Application, from Sources) (kinds []schema.GroupVersionKind, err error) {
	s := &Session{Input: Input{Application: app}}
	if s.Cluster, err = observe.Connect(c.Config(), observe.Options{}); err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	if s.Tree, err = from.Open(ctx, app.Spec.Path, nil); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.Files, s.Name = s.Tree.Files, s.Tree.Name
	if err := s.external(ctx, c, from); err != nil {
		return nil, err
	}
	scopes, err := s.Cluster.Scopes(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking the cluster for its kinds: %w", err)
	}
	var rendered render.Result
	if rendered, err = s.render(ctx, s.Cluster, scopes); err != nil {
		return nil, fmt.Errorf("rendering %s of %s: %w", app.Spec.Path, s.Name, err)
	}
	if !rendered.Complete() {
		return nil, fmt.Errorf("rendering %s of %s is incomplete, so its kinds are not known: %v", app.Spec.Path, s.Name, rendered.Incomplete)
	}
	for _, o := range rendered.Objects {
		if kind := o.GroupVersionKind(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}
