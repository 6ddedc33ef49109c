// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"fmt"
	"sync"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/drift-controller/observe/internal/guard"
)

// markFor is how long RBAC's answer about an account is taken for granted, and
// markAgain how soon an account that is no observer is asked about again.
const (
	markFor   = 10 * time.Minute
	markAgain = 30 * time.Second
)

// mark is what RBAC last said about an account.
type mark struct {
	mu     sync.Mutex
	absent string // why the account is no observer, empty if it is
	until  time.Time
}

// NoDryRuns says why no dry run is sent as this account, empty if they are.
// RBAC cannot tell a dry run from a write, so an account that may send the one
// might send the other: only where admission denies it every write that would
// persist is it asked for dry runs. The configuration's own user is somebody's
// own doing and is not asked about.
func (c *Cluster) NoDryRuns(ctx context.Context) (why string, err error) {
	if c.identity.IsZero() {
		return "", nil
	}
	a, err := c.admission.get(ctx)
	if err != nil || a.unguarded != "" {
		return a.unguarded, err
	}
	c.mark.mu.Lock()
	defer c.mark.mu.Unlock()
	now := time.Now()
	if now.Before(c.mark.until) {
		return c.mark.absent, nil
	}
	if c.mark.absent, err = c.askMark(ctx); err != nil {
		return "", err
	}
	c.mark.until = now.Add(markFor)
	if c.mark.absent != "" {
		c.mark.until = now.Add(markAgain)
	}
	return c.mark.absent, nil
}

// askMark asks RBAC, as the account itself, what the policy will ask.
func (c *Cluster) askMark(ctx context.Context) (string, error) {
	for _, question := range []struct {
		verb    string
		allowed bool
		wrong   string
	}{
		{contract.ObserverVerb, true, "is not bound to ClusterRole " + contract.ObserverRole + " in its namespace: add that RoleBinding"},
		{contract.PersistVerb, false, "may do everything by a wildcard, which the policy for observers leaves alone: give it a Role that lists kinds"},
	} {
		allowed, err := c.reviews.may(ctx, c.identity.Namespace, question.verb)
		if apierrors.IsForbidden(err) {
			// Nobody may act as it, which each object says for itself.
			return c.account() + " cannot be asked whether it is an observer", nil
		}
		if err != nil {
			return "", fmt.Errorf("asking whether %s is an observer: %w", c.account(), err)
		}
		if allowed != question.allowed {
			return c.account() + " " + question.wrong, nil
		}
	}
	return "", nil
}

// readGuard looks at the policy for observers. Not being allowed to read it is
// an answer too; not reaching the server is none.
func (c *Cluster) readGuard(ctx context.Context) (problem string, err error) {
	var policy *admissionregistration.ValidatingAdmissionPolicy
	var binding *admissionregistration.ValidatingAdmissionPolicyBinding
	policy, err = one[admissionregistration.ValidatingAdmissionPolicy](ctx, c, "ValidatingAdmissionPolicy")
	if err == nil && policy != nil {
		binding, err = one[admissionregistration.ValidatingAdmissionPolicyBinding](ctx, c, "ValidatingAdmissionPolicyBinding")
	}
	if apierrors.IsForbidden(err) {
		return "the policy for observers cannot be read: apply config/rbac of this version", nil
	}
	if err != nil {
		return "", fmt.Errorf("the policy for observers: %w", err)
	}
	return guard.Problem(policy, binding), nil
}

// one reads the object of the admission group that the policy consists of; nil
// if it is not there, or the server knows no such kind.
func one[T any](ctx context.Context, c *Cluster, kind string) (*T, error) {
	x, err := c.kinds.index(ctx, settled)
	if err != nil {
		return nil, err
	}
	gk := schema.GroupKind{Group: admissionregistration.GroupName, Kind: kind}
	versions := x.Versions(gk)
	if len(versions) == 0 {
		return nil, nil
	}
	r, _ := x.Get(gk.WithVersion(versions[0]))
	found, err := c.objects.get(ctx, r, "", contract.ObserverPolicy)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	item := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, item); err != nil {
		return nil, fmt.Errorf("%s %s: %w", kind, contract.ObserverPolicy, err)
	}
	return item, nil
}
