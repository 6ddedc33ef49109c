// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// feed is one running watch. The reflector of client-go lists, watches, and
// begins anew with backoff when the connection or the server's memory is lost.
type feed struct {
	key    Key
	store  *store
	notify func(Change)
	cancel context.CancelFunc
	// users belong to the hub and its lock.
	users map[string]bool

	mu  sync.Mutex
	err error
}

func newFeed(key Key, notify func(Change), cancel context.CancelFunc) *feed {
	f := &feed{key: key, notify: notify, cancel: cancel, users: map[string]bool{}}
	f.store = newStore(f.announce)
	return f
}

func (f *feed) announce(name string, kind Kind) {
	f.notify(Change{Key: f.key, Name: name, Kind: kind})
}

func (f *feed) run(ctx context.Context, client metadata.Interface) {
	// Failures are reported once, by Err; client-go would log each attempt.
	silent := logr.Discard()
	ctx = klog.NewContext(ctx, silent)
	resource := client.Resource(f.key.Resource).Namespace(f.key.Namespace)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list, err := resource.List(ctx, o)
			f.note(ctx, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (apiwatch.Interface, error) {
			w, err := resource.Watch(ctx, o)
			f.note(ctx, err)
			return w, err
		},
	}
	r := cache.NewReflectorWithOptions(source, &metav1.PartialObjectMetadata{}, f.store, cache.ReflectorOptions{
		Name: f.key.Resource.String() + " in " + f.key.Namespace, Logger: &silent,
	})
	r.RunWithContext(ctx)
}

// note keeps the last failure, and announces where failing begins and ends.
func (f *feed) note(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // it is being ended
	}
	if err != nil {
		err = fmt.Errorf("watching %s in namespace %q: %w", f.key.Resource.GroupResource(), f.key.Namespace, err)
	}
	f.mu.Lock()
	began, ended := f.err == nil && err != nil, f.err != nil && err == nil
	f.err = err
	f.mu.Unlock()
	if began {
		f.announce("", Failed)
	}
	if ended && f.store.isSynced() {
		f.announce("", Synced)
	}
}

func (f *feed) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
