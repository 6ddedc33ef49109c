// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"sync"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/admission"
)

// admissionCache keeps the mutating configurations and what is wrong with the
// policy for observers, read as the controller itself: an application's account
// has no business with them.
type admissionCache struct {
	own    *Cluster
	maxAge time.Duration
	now    func() time.Time

	mu     sync.Mutex
	cached admissions
	asked  time.Time
}

// admissions is what stands between a request and the store.
type admissions struct {
	admission.Mutators
	// unguarded: why observers are not held to dry runs, empty if they are.
	unguarded string
}

// AdmissionKey changes when a mutating configuration does, or when dry runs
// come to be allowed or not: a restored form that was found before may be
// another one now.
func (c *Cluster) AdmissionKey(ctx context.Context) (string, error) {
	a, err := c.admission.get(ctx)
	if err != nil {
		return "", err
	}
	why, err := c.NoDryRuns(ctx)
	if err != nil || why == "" {
		return a.Key(), err
	}
	return a.Key() + "/no dry runs", nil
}

// get gives what could be read, and why not all could.
func (a *admissionCache) get(ctx context.Context) (admissions, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.asked.IsZero() && a.now().Sub(a.asked) < a.maxAge {
		return a.cached, nil
	}
	m, err := a.own.readAdmission(ctx)
	if err != nil {
		return admissions{Mutators: m}, err
	}
	unguarded, err := a.own.readGuard(ctx)
	if err != nil {
		return admissions{Mutators: m}, err
	}
	a.cached, a.asked = admissions{Mutators: m, unguarded: unguarded}, a.now()
	return a.cached, nil
}

func (a *admissionCache) invalidate() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = time.Time{}
}

func (c *Cluster) readAdmission(ctx context.Context) (admission.Mutators, error) {
	m := admission.New(c.target)
	var hooks []admissionregistration.MutatingWebhookConfiguration
	var policies []admissionregistration.MutatingAdmissionPolicy
	var bindings []admissionregistration.MutatingAdmissionPolicyBinding
	if err := collect(ctx, c, "MutatingWebhookConfiguration", &hooks); err != nil {
		return m, err
	}
	for _, h := range hooks {
		m.AddWebhooks(h)
	}
	if err := collect(ctx, c, "MutatingAdmissionPolicy", &policies); err != nil {
		return m, err
	}
	if err := collect(ctx, c, "MutatingAdmissionPolicyBinding", &bindings); err != nil {
		return m, err
	}
	m.AddPolicies(policies, bindings)
	return m, nil
}

// collect lists a kind of the admission group in the version that the server
// prefers; v1beta1 of the policies has the same fields as v1. Older servers
// have no mutating policies.
func collect[T any](ctx context.Context, c *Cluster, kind string, into *[]T) error {
	x, err := c.kinds.index(ctx, settled)
	if err != nil {
		return err
	}
	gk := schema.GroupKind{Group: admissionregistration.GroupName, Kind: kind}
	versions := x.Versions(gk)
	if len(versions) == 0 {
		return nil
	}
	r, _ := x.Get(gk.WithVersion(versions[0]))
	found, err := c.all(ctx, r, "")
	if err != nil {
		return err
	}
	for _, o := range found {
		var item T
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &item); err != nil {
			return fmt.Errorf("%s %s: %w", kind, o.GetName(), err)
		}
		*into = append(*into, item)
	}
	return nil
}

// target tells how an object is addressed in the rules of a configuration.
func (c *Cluster) target(obj *unstructured.Unstructured) (admission.Target, bool) {
	c.kinds.mu.Lock()
	defer c.kinds.mu.Unlock()
	r, known := c.kinds.cached.Get(obj.GroupVersionKind())
	return admission.Target{Resource: r.Path.Resource, Namespaced: r.Namespaced}, known
}
