// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/cli/internal/cluster"
	"github.com/holdfast-gitops/holdfast/cli/internal/worktree"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe"
	"github.com/holdfast-gitops/holdfast/drift-controller/render"
)

var errElsewhere = errors.New("spec.destination.kubeConfig: the objects live in another cluster, " +
	"whose kubeconfig is the drift-controller's to read: holdfast get drift shows what it found there")

var errNoValues = errors.New("render.helm.valuesSourceRef: the values files come from a second source: " +
	"name a checkout of it with --local-values")

// Open gives a source's content, once it is known which path has to be in it
// and what its ignore rules are.
type Open func(ctx context.Context, path string, ignore *string) (worktree.Tree, error)

// Sources are the checkouts.
type Sources struct {
	Open Open
	// OpenValues is nil if no second checkout was named.
	OpenValues Open
}

// Folders are checkouts as they lie on the disk; revision is a commit, branch
// or tag of the first one instead. values may be empty.
func Folders(local, revision, values string) Sources {
	s := Sources{Open: func(ctx context.Context, path string, ignore *string) (worktree.Tree, error) {
		if revision != "" {
			return worktree.Commit(ctx, local, revision, ignore)
		}
		return worktree.Folder(local, path, ignore)
	}}
	if values != "" {
		s.OpenValues = func(_ context.Context, path string, ignore *string) (worktree.Tree, error) {
			return worktree.Folder(values, path, ignore)
		}
	}
	return s
}

// Session is everything that a comparison needs, read beforehand.
type Session struct {
	Input
	Cluster *observe.Cluster
	Tree    worktree.Tree
	// Values is the second source; its Files are nil if there is none.
	Values worktree.Tree
}

// Close lets go of the folders.
func (s *Session) Close() error {
	var err error
	for _, tree := range []worktree.Tree{s.Tree, s.Values} {
		if tree.Close != nil {
			err = errors.Join(err, tree.Close())
		}
	}
	return err
}

// Start reads an Application with all that belongs to it, and opens its source.
func Start(ctx context.Context, c *cluster.Cluster, name string, from Sources, now time.Time) (*Session, error) {
	app, err := c.Application(ctx, c.Namespace(), name)
	if err != nil {
		return nil, err
	}
	if app.Spec.Destination.KubeConfig != nil {
		return nil, errElsewhere
	}
	s := &Session{Input: Input{Application: app, Now: now}}
	if s.Cluster, err = observe.Connect(c.Config(), observe.Options{}); err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	if err := s.published(ctx, c); err != nil {
		return nil, err
	}
	ignore, err := c.IgnoreOf(ctx, app)
	if err != nil {
		return nil, err
	}
	if s.Tree, err = from.Open(ctx, app.Spec.Path, ignore); err != nil {
		return nil, err
	}
	s.Files, s.Name = s.Tree.Files, s.Tree.Name
	if err := s.external(ctx, c, from); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// published gathers what the drift-controller knows and the Project allows.
func (s *Session) published(ctx context.Context, c *cluster.Cluster) (err error) {
	if s.Pages, err = c.DriftPages(ctx, s.Application); err != nil {
		return err
	}
	if s.Inventory, err = c.InventoryPages(ctx, s.Application); err != nil {
		return err
	}
	if s.Application.Spec.Project != "" {
		s.Project, err = c.Project(ctx, s.Application.Spec.Project)
	}
	return err
}

func (s *Session) external(ctx context.Context, c *cluster.Cluster, from Sources) (err error) {
	s.External, err = ReadExternal(ctx, s.Application.Spec.Render, func(ctx context.Context, kind, name string) (map[string][]byte, bool, error) {
		return c.Content(ctx, s.Application.Namespace, kind, name)
	})
	if err != nil || !secondSource(s.Application.Spec.Render) {
		return err
	}
	if from.OpenValues == nil {
		return errNoValues
	}
	if s.Values, err = from.OpenValues(ctx, ".", nil); err != nil {
		return err
	}
	s.External.ValuesFS = s.Values.Files
	return nil
}

func secondSource(spec *v1alpha1.Render) bool {
	return spec != nil && spec.Helm != nil && spec.Helm.ValuesSourceRef != nil
}

// With is the input with other files in place of its own.
func (in Input) With(files, values fs.FS) Input {
	in.Files = files
	if in.External.ValuesFS != nil {
		in.External.ValuesFS = values
	}
	return in
}

// Options are those that the source is rendered with.
func (in Input) Options(ctx context.Context, c *observe.Cluster) (render.Options, error) {
	scopes, err := c.Scopes(ctx)
	if err != nil {
		return render.Options{}, fmt.Errorf("asking the cluster for its kinds: %w", err)
	}
	return in.options(ctx, c, scopes)
}
