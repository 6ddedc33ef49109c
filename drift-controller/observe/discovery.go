// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/kinds"
)

var (
	// ErrUnknownKind means that the server serves no such kind in this version.
	ErrUnknownKind = errors.New("unknown kind")
	// ErrIncomplete means that discovery could not tell, so a kind that was
	// not found may exist.
	ErrIncomplete = errors.New("discovery is incomplete")
)

// Resource is a kind in one version, and how the server serves it.
type Resource = kinds.Resource

// Capabilities are what charts ask of a cluster.
type Capabilities struct {
	KubeVersion string // such as v1.36.3
	APIVersions []string
}

// Scopes says which kinds the server serves, and whether they are namespaced.
func (c *Cluster) Scopes(ctx context.Context) (manifest.Scopes, error) {
	x, err := c.kinds.index(ctx, settled)
	if err != nil {
		return manifest.Scopes{}, err
	}
	return x.Scopes(), nil
}

// Capabilities of the server.
func (c *Cluster) Capabilities(ctx context.Context) (Capabilities, error) {
	x, err := c.kinds.index(ctx, settled)
	if err != nil {
		return Capabilities{}, err
	}
	v, err := c.kinds.version(ctx)
	return Capabilities{KubeVersion: v, APIVersions: x.APIVersions()}, err
}

// Resource finds a kind. If it is not there, discovery is asked anew before
// that is believed: a CRD may just have been applied.
func (c *Cluster) Resource(ctx context.Context, kind schema.GroupVersionKind) (Resource, error) {
	x, err := c.kinds.index(ctx, func(x kinds.Index) bool {
		_, known := x.Get(kind)
		return known
	})
	if err != nil {
		return Resource{}, err
	}
	if r, known := x.Get(kind); known {
		return r, nil
	}
	if reason, incomplete := x.Incomplete(kind.Group); incomplete {
		return Resource{}, fmt.Errorf("%s %s: %w: %s", kind.GroupVersion(), kind.Kind, ErrIncomplete, reason)
	}
	if served := x.Versions(kind.GroupKind()); len(served) > 0 {
		return Resource{}, fmt.Errorf("%s %s: %w: the server serves this kind in %s only",
			kind.GroupVersion(), kind.Kind, ErrUnknownKind, strings.Join(served, ", "))
	}
	return Resource{}, fmt.Errorf("%s %s: %w: install its CustomResourceDefinition or correct apiVersion and kind",
		kind.GroupVersion(), kind.Kind, ErrUnknownKind)
}

// Served says where a kind is served, for who writes objects of it.
func (c *Cluster) Served(ctx context.Context, kind schema.GroupVersionKind) (resource schema.GroupVersionResource, namespaced bool, err error) {
	r, err := c.Resource(ctx, kind)
	return r.Path, r.Namespaced, err
}

// Invalidate makes the next question ask the server again: a CRD, an
// APIService or a mutating configuration has changed.
func (c *Cluster) Invalidate() {
	c.kinds.invalidate()
	c.schemas.invalidate()
	c.admission.invalidate()
}

// definition is one CustomResourceDefinition as it was seen to change.
type definition struct {
	generation int64
	at         time.Time
}

// Redefined tells that a CustomResourceDefinition was seen to change: what was
// judged of its kinds was judged under another one.
func (c *Cluster) Redefined(name string, generation int64) {
	if before, known := c.definitions.Load(name); known && before.(definition).generation == generation { //nolint:forcetypeassert // nothing else is stored
		return
	}
	c.definitions.Store(name, definition{generation: generation, at: c.schemas.fresh.now()})
}

// Definition names the changes to the kinds of a group since the start, and
// says whether the server may still go by an earlier one.
func (c *Cluster) Definition(group string) (key string, unrestful bool) {
	if group == "" {
		return "", false
	}
	var known []string
	c.definitions.Range(func(name, d any) bool {
		if of := d.(definition); strings.HasSuffix(name.(string), "."+group) { //nolint:forcetypeassert // nothing else is stored
			known = append(known, fmt.Sprintf("%s@%d", name, of.generation))
			unrestful = unrestful || c.schemas.fresh.now().Sub(of.at) < unrest
		}
		return true
	})
	slices.Sort(known)
	return strings.Join(known, ","), unrestful
}

// settled is content with what is cached.
func settled(kinds.Index) bool { return true }

// pause between two questions that the cache could not answer. An application
// with a thousand objects of an unknown kind must not ask a thousand times.
const pause = time.Second

// unrest is how long after a change of a CRD the answers may still be the old
// ones: the server publishes kinds and schemas some time later. An answer from
// within that time counts for a pause only, however long ago that is.
const unrest = 15 * time.Second

// freshness says whether a cached answer may be used.
type freshness struct {
	maxAge time.Duration
	now    func() time.Time
	asked  time.Time // zero: nothing is cached
	unrest time.Time // an answer from before it is old after a pause
	stale  bool
}

// usable takes into account whether the answer serves the question: if not,
// asking again may help, but not at once.
func (f *freshness) usable(serves bool) bool {
	now := f.now()
	age := now.Sub(f.asked)
	switch {
	case f.asked.IsZero() || f.stale || age >= f.maxAge:
		return false
	case age < pause:
		return true
	}
	return serves && !f.asked.Before(f.unrest)
}

func (f *freshness) refreshed() { f.asked, f.stale = f.now(), false }

func (f *freshness) invalidate() { f.stale, f.unrest = true, f.now().Add(unrest) }

// kindCache asks discovery as seldom as it can.
type kindCache struct {
	ask discovery.DiscoveryInterface

	mu     sync.Mutex
	fresh  freshness
	cached kinds.Index
	server string
}

// index gives one that is young enough and, if asking helps, one that serves.
func (k *kindCache) index(ctx context.Context, serves func(kinds.Index) bool) (kinds.Index, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return kinds.Index{}, fmt.Errorf("discovery: %w", err)
	}
	if k.fresh.usable(serves(k.cached)) {
		return k.cached, nil
	}
	x, err := discover(k.ask)
	if err != nil {
		return kinds.Index{}, fmt.Errorf("discovery: %w", err)
	}
	k.cached, k.server = x, ""
	k.fresh.refreshed()
	return x, nil
}

// discover accepts a partial answer: an aggregated API that is down makes its
// own group unknown, and no other.
func discover(ask discovery.DiscoveryInterface) (kinds.Index, error) {
	_, lists, err := ask.ServerGroupsAndResources()
	var partial *discovery.ErrGroupDiscoveryFailed
	if err != nil && !errors.As(err, &partial) {
		return kinds.Index{}, err
	}
	var failed map[schema.GroupVersion]error
	if partial != nil {
		failed = partial.Groups
	}
	return kinds.New(lists, failed)
}

// version is asked once per round of discovery: an upgrade changes it.
func (k *kindCache) version(ctx context.Context) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.server != "" {
		return k.server, nil
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("version of the server: %w", err)
	}
	v, err := k.ask.ServerVersion()
	if err != nil {
		return "", fmt.Errorf("version of the server: %w", err)
	}
	k.server = v.GitVersion
	return k.server, nil
}

func (k *kindCache) invalidate() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fresh.invalidate()
}
