// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	drift "github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/manifest"
)

// recent keeps answers that serve as evidence for some seconds, so that a
// burst of comparisons in one namespace asks once.
type recent struct {
	maxAge time.Duration
	now    func() time.Time

	mu      sync.Mutex
	answers map[recentKey]answer
}

type recentKey struct {
	resource  schema.GroupVersionResource
	namespace string
}

type answer struct {
	at      time.Time
	objects []*unstructured.Unstructured
	err     error
}

func newRecent(maxAge time.Duration, now func() time.Time) *recent {
	return &recent{maxAge: maxAge, now: now, answers: map[recentKey]answer{}}
}

// many gives a list that is young enough, or asks. A refusal is kept as well.
func (r *recent) many(res Resource, namespace string, ask func() ([]*unstructured.Unstructured, error)) ([]*unstructured.Unstructured, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := recentKey{res.Path, namespace}
	now := r.now()
	maps.DeleteFunc(r.answers, func(_ recentKey, a answer) bool { return now.Sub(a.at) >= r.maxAge })
	if a, ok := r.answers[key]; ok {
		return a.objects, a.err
	}
	objects, err := ask()
	r.answers[key] = answer{at: now, objects: objects, err: err}
	return objects, err
}

// one is the same for a single Namespace.
func (r *recent) one(namespace string, ask func() (*unstructured.Unstructured, error)) (*unstructured.Unstructured, error) {
	all, err := r.many(Resource{}, namespace, func() ([]*unstructured.Unstructured, error) {
		obj, err := ask()
		return []*unstructured.Unstructured{obj}, err
	})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// denialAge is how long a missing right is remembered: an account without it
// would otherwise cost one refused request per object, and one that is given
// the right is believed within a minute.
const denialAge = time.Minute

// mostDenials are kept before those that have run out are swept away.
const mostDenials = 4096

// denialKey is one right. A throw-away name stands in no resourceNames, so its
// refusal counts for the whole namespace; that of a real name for this only.
type denialKey struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

func keyOf(r Resource, id manifest.ID, rung drift.Precision) denialKey {
	key := denialKey{resource: r.Path, namespace: id.Namespace}
	if rung == drift.PrecisionInPlace {
		key.name = id.Name
	}
	return key
}

// denials remember which rungs an account may not use.
type denials struct {
	now func() time.Time

	mu    sync.Mutex
	until map[denialKey]time.Time
}

func newDenials(now func() time.Time) *denials {
	return &denials{now: now, until: map[denialKey]time.Time{}}
}

func (d *denials) recently(key denialKey) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	until, ok := d.until[key]
	if ok && !d.now().Before(until) {
		delete(d.until, key)
		return false
	}
	return ok
}

func (d *denials) remember(key denialKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	if len(d.until) >= mostDenials {
		maps.DeleteFunc(d.until, func(_ denialKey, until time.Time) bool { return !now.Before(until) })
	}
	d.until[key] = now.Add(denialAge)
}
