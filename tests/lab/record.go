// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	watchtools "k8s.io/client-go/tools/watch"

	api "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
)

// Record is every status that an Application had since the record began. What a
// test looks at between two waits could miss the one moment that is wrong.
type Record struct {
	space *Space

	mu   sync.Mutex
	seen []*api.Application
	err  error
}

// Watch begins a record, which ends with the context. It survives the absence
// of the API server.
func (s *Space) Watch(ctx context.Context, name string) (*Record, error) {
	now, err := s.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(s.Cluster.AdminConfig())
	if err != nil {
		return nil, fmt.Errorf("client of a record: %w", err)
	}
	resource := client.Resource(api.GroupVersion.WithResource("applications")).Namespace(s.Namespace)
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, now.ResourceVersion, only{name: name, watch: resource.Watch})
	if err != nil {
		return nil, fmt.Errorf("watching Application %s: %w", name, err)
	}
	r := &Record{space: s, seen: []*api.Application{now}}
	go r.read(watcher.ResultChan())
	return r, nil
}

// only watches one object.
type only struct {
	name  string
	watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
}

func (o only) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.FieldSelector = "metadata.name=" + o.name
	return o.watch(ctx, options)
}

func (r *Record) read(events <-chan watch.Event) {
	for event := range events {
		r.add(event)
	}
}

func (r *Record) add(event watch.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		r.err = fmt.Errorf("the record of an Application broke off: %v", event.Object)
		return
	}
	app := &api.Application{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, app); err != nil {
		r.err = fmt.Errorf("the record of an Application: %w", err)
		return
	}
	r.seen = append(r.seen, app)
}

// Always says whether a condition has had the wanted status in every version up
// to the present one, and which version had not.
func (r *Record) Always(ctx context.Context, want Condition) error {
	if err := r.caughtUp(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, app := range r.seen {
		c := meta.FindStatusCondition(app.Status.Conditions, want.Type)
		if c == nil || string(c.Status) != want.Status {
			return fmt.Errorf("version %d of %d is not %s=%s:\n%s", i+1, len(r.seen), want.Type, want.Status, r.space.StatusText(app))
		}
	}
	return nil
}

// caughtUp waits until the record has the version that a read gives.
func (r *Record) caughtUp(ctx context.Context) error {
	return Poll(ctx, func(ctx context.Context) error {
		now, err := r.space.Application(ctx, r.name())
		if err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.err != nil {
			return r.err
		}
		if !slices.ContainsFunc(r.seen, func(app *api.Application) bool { return app.ResourceVersion == now.ResourceVersion }) {
			return fmt.Errorf("the record does not have version %s yet", now.ResourceVersion)
		}
		return nil
	})
}

func (r *Record) name() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen[0].Name
}
