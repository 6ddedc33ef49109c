// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/metadata"
)

// Key is one watch.
type Key struct {
	// Cluster is any name that tells clusters apart; empty for our own.
	Cluster string
	// Account whose rights count: observe.Identity.String.
	Account  string
	Resource schema.GroupVersionResource
	// Namespace is empty for kinds of the whole cluster.
	Namespace string
}

// Kind is what happened.
type Kind string

// The kinds of change. Synced and Failed concern a whole watch.
const (
	Added   Kind = "Added"
	Changed Kind = "Changed"
	Deleted Kind = "Deleted"
	// Synced: from now on Get knows every object, or knows them again.
	Synced Kind = "Synced"
	// Failed: the watch was refused or lost; Err says why.
	Failed Kind = "Failed"
)

// Change is what the hub announces.
type Change struct {
	Key  Key
	Name string // empty for Synced and Failed
	Kind Kind
}

// Hub holds all watches of a process.
type Hub struct {
	ctx    context.Context
	notify func(Change)
	ended  sync.WaitGroup

	mu      sync.Mutex
	watches map[Key]*feed
}

// New makes a hub whose watches end with the context. The function is called
// from the watches themselves, one change after the other for each: it must
// not block, and it may not call Set or Release.
func New(ctx context.Context, notify func(Change)) *Hub {
	return &Hub{ctx: ctx, notify: notify, watches: map[Key]*feed{}}
}

// Set says what an application wants to watch from now on. Watches that it
// wanted before and does not name any more end, unless another wants them.
// The client must have the rights of the keys' account.
func (h *Hub) Set(user string, client metadata.Interface, keys []Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, key := range keys {
		f, running := h.watches[key]
		if !running {
			f = h.start(key, client)
		}
		f.users[user] = true
	}
	for key, f := range h.watches {
		if f.users[user] && !slices.Contains(keys, key) {
			h.leave(key, f, user)
		}
	}
}

// Release says that an application is gone.
func (h *Hub) Release(user string) { h.Set(user, nil, nil) }

func (h *Hub) start(key Key, client metadata.Interface) *feed {
	ctx, cancel := context.WithCancel(h.ctx)
	f := newFeed(key, h.notify, cancel)
	h.watches[key] = f
	h.ended.Go(func() { f.run(ctx, client) })
	return f
}

func (h *Hub) leave(key Key, f *feed, user string) {
	delete(f.users, user)
	if len(f.users) == 0 {
		f.cancel()
		delete(h.watches, key)
	}
}

func (h *Hub) find(key Key) (*feed, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.watches[key]
	return f, ok
}

// Get gives the stamp of an object. False means that it is not there only if
// the watch is synced.
func (h *Hub) Get(key Key, name string) (Stamp, bool) {
	f, ok := h.find(key)
	if !ok {
		return Stamp{}, false
	}
	return f.store.get(name)
}

// Synced says whether the watch has seen every object and is not broken.
func (h *Hub) Synced(key Key) bool {
	f, ok := h.find(key)
	return ok && f.store.isSynced() && f.failure() == nil
}

// Await waits until watches are in step or cannot be, as long as ctx lasts. It
// asks nobody.
func (h *Hub) Await(ctx context.Context, keys []Key) {
	const often = 5 * time.Millisecond
	_ = wait.PollUntilContextCancel(ctx, often, true, func(context.Context) (bool, error) {
		return !slices.ContainsFunc(keys, func(k Key) bool { return !h.Synced(k) && h.Err(k) == nil }), nil
	})
}

// Err is why the watch does not run now; nil if it does, or has just begun.
func (h *Hub) Err(key Key) error {
	f, ok := h.find(key)
	if !ok {
		return nil
	}
	return f.failure()
}

// Users are the applications that want a watch, in order.
func (h *Hub) Users(key Key) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.watches[key]
	if !ok {
		return nil
	}
	return slices.Sorted(maps.Keys(f.users))
}

// Len is the number of watches and of the objects that they know.
func (h *Hub) Len() (watches, objects int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.watches {
		objects += f.store.len()
	}
	return len(h.watches), objects
}

// Wait returns when all watches have ended, which they do after the context.
func (h *Hub) Wait() { h.ended.Wait() }
