// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package play

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/runtime/conditions"
	sourcev1 "github.com/fluxcd/source-controller/api/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// source is what both kinds have in common.
type source interface {
	client.Object
	conditions.Getter
	GetArtifact() *meta.Artifact
}

// watched sees every state that an object went through, and holds each of them
// to what must always be true.
type watched struct {
	stop func()

	mu       sync.Mutex
	ready    map[string][]string // by KIND/NAME, since they were last taken
	last     map[string]string
	problems []error
}

// watchReady watches a namespace until stop.
func watchReady(ctx context.Context, c client.WithWatch, namespace string) (*watched, error) {
	ctx, cancel := context.WithCancel(ctx)
	w := &watched{ready: map[string][]string{}, last: map[string]string{}}
	var running sync.WaitGroup
	for _, list := range []client.ObjectList{&sourcev1.GitRepositoryList{}, &sourcev1.OCIRepositoryList{}} {
		events, err := c.Watch(ctx, list, client.InNamespace(namespace))
		if err != nil {
			cancel()
			return nil, fmt.Errorf("watching %s: %w", namespace, err)
		}
		running.Go(func() { w.follow(ctx, events) })
	}
	w.stop = func() {
		cancel()
		running.Wait()
	}
	return w, nil
}

func (w *watched) follow(ctx context.Context, events watch.Interface) {
	defer events.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case event, open := <-events.ResultChan():
			if !open {
				return
			}
			if obj, ok := event.Object.(source); ok && event.Type != watch.Deleted {
				w.see(obj)
			}
		}
	}
}

func (w *watched) see(obj source) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := kindOf(obj) + "/" + obj.GetName()
	if err := always(obj); err != nil {
		w.problems = append(w.problems, fmt.Errorf("%s at %s: %w", key, obj.GetResourceVersion(), err))
	}
	ready := conditions.Get(obj, meta.ReadyCondition)
	if ready == nil {
		return
	}
	if text := string(ready.Status) + " " + ready.Reason; text != w.last[key] {
		w.last[key] = text
		w.ready[key] = append(w.ready[key], text)
	}
}

// always holds for every state of every object, also between two steps.
func always(obj source) error {
	if conditions.IsReady(obj) && obj.GetArtifact() == nil {
		return errors.New("it is Ready without an artifact")
	}
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	if _, err := status.Compute(&unstructured.Unstructured{Object: raw}); err != nil {
		return fmt.Errorf("kstatus cannot read it: %w", err)
	}
	return nil
}

// seenReady gives the transitions of Ready since the last take.
func (w *watched) seenReady(key string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.ready[key]...)
}

func (w *watched) take(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ready, key)
}

func (w *watched) problem() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.problems...)
}

// kindOf is the kind, which typed objects do not carry.
func kindOf(obj client.Object) string {
	if _, ok := obj.(*sourcev1.GitRepository); ok {
		return sourcev1.GitRepositoryKind
	}
	return sourcev1.OCIRepositoryKind
}
