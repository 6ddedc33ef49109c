// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// store is what a reflector writes to. It keeps a stamp per object and
// announces changes after it has taken them in.
type store struct {
	announce func(name string, kind Kind)

	mu     sync.RWMutex
	stamps map[string]Stamp
	synced bool
}

var _ cache.ReflectorStore = &store{}
var _ cache.TransformingStore = &store{}

func newStore(announce func(name string, kind Kind)) *store {
	return &store{announce: announce, stamps: map[string]Stamp{}}
}

// trimmed stands for an object on its way through the reflector, which keeps
// a whole list at once.
type trimmed struct {
	metav1.PartialObjectMetadata
	stamp Stamp
}

// Transformer makes the reflector drop all but the stamp as objects arrive.
func (s *store) Transformer() cache.TransformFunc {
	return func(obj any) (any, error) {
		full, err := meta.Accessor(obj)
		if err != nil {
			return nil, fmt.Errorf("watched object of type %T: %w", obj, err)
		}
		t := &trimmed{stamp: StampOf(full)}
		t.Name, t.Namespace, t.ResourceVersion = full.GetName(), full.GetNamespace(), full.GetResourceVersion()
		return t, nil
	}
}

func read(obj any) (name string, stamp Stamp, err error) {
	if t, ok := obj.(*trimmed); ok {
		return t.Name, t.stamp, nil
	}
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	full, err := meta.Accessor(obj)
	if err != nil {
		return "", Stamp{}, fmt.Errorf("watched object of type %T: %w", obj, err)
	}
	return full.GetName(), StampOf(full), nil
}

// compact cuts the strings loose from the answer that they were decoded from.
func (s Stamp) compact() Stamp {
	s.UID = types.UID(strings.Clone(string(s.UID)))
	s.ResourceVersion = strings.Clone(s.ResourceVersion)
	return s
}

func (s *store) get(name string) (Stamp, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	stamp, ok := s.stamps[name]
	return stamp, ok
}

func (s *store) isSynced() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.synced
}

// Add takes in an object that is new, or that a broken watch shows again.
func (s *store) Add(obj any) error { return s.put(obj) }

// Update takes in an object that has changed.
func (s *store) Update(obj any) error { return s.put(obj) }

func (s *store) put(obj any) error {
	name, stamp, err := read(obj)
	if err != nil {
		return err
	}
	if kind, matters := s.take(name, stamp); matters {
		s.announce(name, kind)
	}
	return nil
}

func (s *store) take(name string, stamp Stamp) (Kind, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.stamps[name]
	kind, matters := change(before, known, stamp)
	if !known {
		name = strings.Clone(name)
	}
	s.stamps[name] = stamp.compact()
	return kind, matters
}

// change says what happened to an object, and whether anybody has to know.
func change(before Stamp, known bool, now Stamp) (Kind, bool) {
	switch {
	case !known:
		return Added, true
	case before.ResourceVersion == now.ResourceVersion && before.UID == now.UID:
		return Changed, false
	}
	return Changed, !now.onlyStatus(before)
}

// Delete forgets an object.
func (s *store) Delete(obj any) error {
	name, _, err := read(obj)
	if err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.stamps, name)
	s.mu.Unlock()
	s.announce(name, Deleted)
	return nil
}

// Replace takes in a whole list. The first one is announced as one change;
// a later one, after a watch was lost, as what it changed.
func (s *store) Replace(list []any, _ string) error {
	next := make(map[string]Stamp, len(list))
	for _, obj := range list {
		name, stamp, err := read(obj)
		if err != nil {
			return err
		}
		next[strings.Clone(name)] = stamp.compact()
	}
	s.mu.Lock()
	before, first := s.stamps, !s.synced
	s.stamps, s.synced = next, true
	s.mu.Unlock()
	if first {
		s.announce("", Synced)
		return nil
	}
	s.compare(before, next)
	return nil
}

func (s *store) compare(before, next map[string]Stamp) {
	for name, stamp := range next {
		old, known := before[name]
		if kind, matters := change(old, known, stamp); matters {
			s.announce(name, kind)
		}
	}
	for name := range before {
		if _, still := next[name]; !still {
			s.announce(name, Deleted)
		}
	}
}

// Resync has nothing to do: no one but us reads the store.
func (s *store) Resync() error { return nil }

func (s *store) len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.stamps)
}
