// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	secretschema "github.com/holdfast-gitops/holdfast/secrets-controller/schema"
)

const (
	// recheck is how long a kind that could not be read is left alone.
	recheck = 30 * time.Second
	// syncTimeout bounds the wait for the first list of a kind.
	syncTimeout = 20 * time.Second
)

// Cluster watches the live kinds, each from the moment it is installed and
// may be listed. It is safe for use by several workers.
type Cluster struct {
	cache  cache.Cache
	mapper meta.RESTMapper
	// direct reads past the cache, to ask whether a kind may be listed before
	// an informer would try for ever.
	direct client.Reader
	now    func() time.Time
	// wake is told the namespace of an object that changed in what the rules
	// see; it is empty for cluster-scoped objects.
	wake func(namespace string)

	// doubted is apart from the lock: a reflector sets it, and must not wait
	// for a worker that waits for the reflector.
	doubted atomic.Bool
	mu      sync.Mutex
	states  map[schema.GroupKind]*kindState
}

// kindState is how a kind stands at present.
type kindState struct {
	version string
	// open: an informer runs and has synced.
	open bool
	// absent: the kind is not installed, so there are no objects of it.
	absent bool
	// definition is the schema of the kind, where it could be read.
	definition *secretschema.Definition
	reason     string
	asked      time.Time
}

// NewCluster watches nothing yet; kinds are opened when they are first read.
func NewCluster(c cache.Cache, mapper meta.RESTMapper, direct client.Reader, now func() time.Time, wake func(string)) *Cluster {
	return &Cluster{
		cache: c, mapper: mapper, direct: direct, now: now, wake: wake,
		states: map[schema.GroupKind]*kindState{},
	}
}

// Doubt has each kind asked again before it is read next: a definition came or
// went, or a watch was refused. What is open and still may be read stays open.
func (c *Cluster) Doubt() { c.doubted.Store(true) }

// state makes sure that a kind is watched, if it can be.
func (c *Cluster) state(ctx context.Context, k kind) kindState {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.doubted.Swap(false) {
		for _, state := range c.states {
			state.open, state.asked = false, time.Time{}
		}
	}
	have := c.states[k.GroupKind]
	if have == nil {
		have = &kindState{}
		c.states[k.GroupKind] = have
	}
	if have.open || (!have.asked.IsZero() && c.now().Sub(have.asked) < recheck) {
		return *have
	}
	version := have.version
	*have = c.open(ctx, k, version)
	have.asked = c.now()
	return *have
}

// open asks whether a kind may be listed and starts its informer.
func (c *Cluster) open(ctx context.Context, k kind, watched string) kindState {
	mapping, err := c.mapper.RESTMapping(k.GroupKind)
	if meta.IsNoMatchError(err) {
		c.close(ctx, k, watched)
		return kindState{absent: true}
	}
	if err != nil {
		return kindState{version: watched, reason: "discovery failed: " + reasonOf(err)}
	}
	version := mapping.GroupVersionKind.Version
	if watched != version {
		c.close(ctx, k, watched)
		watched = ""
	}
	// One item is enough to learn whether the list is allowed.
	if err := c.direct.List(ctx, k.list(version), client.Limit(1)); err != nil {
		c.close(ctx, k, watched)
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			// The mapper remembers definitions that were deleted since.
			return kindState{absent: true}
		}
		return kindState{reason: fmt.Sprintf("listing %s: %s", mapping.Resource.GroupResource(), reasonOf(err))}
	}
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	informer, err := c.cache.GetInformer(ctx, k.sample(version))
	if err != nil {
		return kindState{version: watched, reason: fmt.Sprintf("watching %s: not synced within %s", mapping.Resource.GroupResource(), syncTimeout)}
	}
	if watched == "" {
		if _, err := informer.AddEventHandler(c.handler(k)); err != nil {
			return kindState{reason: fmt.Sprintf("watching %s: the watch has ended", mapping.Resource.GroupResource())}
		}
	}
	return kindState{version: version, open: true, definition: c.definition(ctx, k, mapping.Resource.GroupResource())}
}

// definition reads the definition of an operator's kind, once each time that
// the kind is opened: when a definition changes the kinds are asked again.
func (c *Cluster) definition(ctx context.Context, k kind, resource schema.GroupResource) *secretschema.Definition {
	if k.Group != externalSecrets.Group {
		return nil
	}
	object := &unstructured.Unstructured{}
	object.SetAPIVersion("apiextensions.k8s.io/v1")
	object.SetKind("CustomResourceDefinition")
	if err := c.direct.Get(ctx, client.ObjectKey{Name: resource.String()}, object); err != nil {
		return nil
	}
	definition, err := secretschema.ReadDefinition(object.Object)
	if err != nil {
		return nil
	}
	return &definition
}

// close ends the watch of a kind that is gone or may no longer be read.
func (c *Cluster) close(ctx context.Context, k kind, version string) {
	if version != "" {
		// Removing an informer that is not there is no error, and there is no other.
		_ = c.cache.RemoveInformer(ctx, k.sample(version))
	}
}

func (c *Cluster) handler(k kind) toolscache.ResourceEventHandler {
	tell := func(obj any) {
		o, ok := obj.(client.Object)
		switch {
		case !ok:
		case k.GroupKind == namespaces.GroupKind:
			c.wake(o.GetName())
		default:
			c.wake(o.GetNamespace())
		}
	}
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(obj any, initial bool) {
			if !initial {
				tell(obj)
			}
		},
		UpdateFunc: func(old, obj any) {
			before, ok := old.(client.Object)
			after, alsoOK := obj.(client.Object)
			if ok && alsoOK && !reflect.DeepEqual(k.digest(before), k.digest(after)) {
				tell(obj)
			}
		},
		DeleteFunc: func(obj any) {
			if gone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				obj = gone.Obj
			}
			tell(obj)
		},
	}
}

// reasonOf names the kind of an API error; the server's words may quote more
// than belongs into a status.
func reasonOf(err error) string {
	if reason := apierrors.ReasonForError(err); reason != "" {
		return string(reason)
	}
	return "the API server cannot be reached"
}
