// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package actuate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/holdfast-gitops/holdfast/drift-controller/change"
	"github.com/holdfast-gitops/holdfast/drift-controller/internal/refusal"
	"github.com/holdfast-gitops/holdfast/drift-controller/live"
	"github.com/holdfast-gitops/holdfast/drift-controller/plan"
)

// errand is one step on its way.
type errand struct {
	account *account
	order   Order
	path    []string
	timeout time.Duration
	out     Outcome
}

// attempts is how often a write is sent while nothing but the status of its
// object moves on between reading and writing it.
const attempts = 4

func (e *errand) run(ctx context.Context) {
	switch e.order.Step.Verb {
	case plan.Create, plan.Restore:
		e.create(ctx)
	case plan.Apply, plan.Revert:
		for range attempts {
			if !e.change(ctx) {
				return
			}
		}
		e.end(Moved, "its status moves faster than it can be written")
	case plan.Delete:
		e.delete(ctx)
	case plan.Leave:
		e.end(Refused, "it is not to be written")
	}
}

func (e *errand) end(r Result, message string) { e.out.Result, e.out.Message = r, message }

// fail reads what the server said.
func (e *errand) fail(err error) {
	said := refusal.Of(err, e.order.hide())
	if said.Kind == refusal.Unreachable {
		e.end(Failed, said.Words)
		return
	}
	e.end(Refused, said.Words)
}

// create applies without force: whatever stands there by now is somebody's, and
// where it differs the server says so.
func (e *errand) create(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	body, err := change.Body(e.order.Declared, nil, nil)
	if err != nil {
		e.end(Failed, e.order.hide().Mask(err.Error()))
		return
	}
	made, created, err := e.account.apply(ctx, e.path, body, false)
	switch {
	case apierrors.IsConflict(err):
		e.end(Moved, "somebody created it meanwhile")
	case err != nil:
		e.fail(err)
	default:
		e.out.UID, e.out.Created, e.out.Writes = string(made.GetUID()), created, 1
		e.end(Done, "")
		if created && e.order.Made != nil {
			e.order.Made(made)
		}
	}
}

// change applies or patches what is live now. It says whether to try again.
func (e *errand) change(ctx context.Context) (again bool) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	current := e.current(ctx)
	if current == nil {
		return false
	}
	if e.order.Step.Full {
		body, err := change.Body(e.order.Declared, current, e.order.Step.Keep)
		if err != nil {
			e.end(Failed, e.order.hide().Mask(err.Error()))
			return false
		}
		applied, _, err := e.account.apply(ctx, e.path, body, true)
		if err != nil {
			return e.retries(err)
		}
		e.out.Writes++
		current = applied
	}
	return e.edit(ctx, current)
}

func (e *errand) edit(ctx context.Context, current *unstructured.Unstructured) (again bool) {
	e.out.UID = string(current.GetUID())
	ops, err := change.Patch(current, e.order.Step.Edits)
	switch {
	case err != nil:
		e.end(Moved, e.order.hide().Mask(err.Error()))
		return false
	case ops == nil:
		e.end(Done, "")
		return false
	}
	if _, err := e.account.patch(ctx, e.path, ops); err != nil {
		if e.out.Writes > 0 {
			// The apply went through: what is left is judged on what it made.
			e.end(Moved, "")
			return false
		}
		return e.rejected(ctx, current, err)
	}
	e.out.Writes++
	e.end(Done, "")
	return false
}

// rejected tells a test that failed, since somebody wrote meanwhile, from a
// patch that the server does not take: both have the same code.
func (e *errand) rejected(ctx context.Context, before *unstructured.Unstructured, err error) (again bool) {
	if apierrors.IsConflict(err) || statusOf(err) == http.StatusUnprocessableEntity {
		now, readErr := e.account.get(ctx, e.path)
		if readErr == nil && now.GetResourceVersion() != before.GetResourceVersion() {
			return true
		}
	}
	e.fail(err)
	return false
}

func statusOf(err error) int32 {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code
	}
	return 0
}

// retries says whether a failed apply may be sent again: somebody wrote in
// between, and the next read shows whether that matters.
func (e *errand) retries(err error) (again bool) {
	if apierrors.IsConflict(err) {
		return true
	}
	e.fail(err)
	return false
}

// current reads the live object, and gives it only if it is what was judged.
func (e *errand) current(ctx context.Context) *unstructured.Unstructured {
	step := e.order.Step
	now, err := e.account.get(ctx, e.path)
	switch {
	case apierrors.IsNotFound(err):
		e.end(Moved, "it is gone")
		return nil
	case err != nil:
		e.fail(err)
		return nil
	case string(now.GetUID()) != step.UID:
		e.end(Moved, "another object has its name now")
		return nil
	case live.StateOf(now) != step.State:
		e.end(Moved, "it was changed since it was judged")
		return nil
	}
	return now
}

func (e *errand) delete(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	step := e.order.Step
	if step.UID == "" || step.State == "" {
		e.end(Refused, "its UID or its resourceVersion is not known")
		return
	}
	err := e.account.delete(ctx, e.path, step.UID, step.State)
	switch {
	case apierrors.IsNotFound(err):
		e.end(Done, "")
	case apierrors.IsConflict(err):
		e.end(Moved, fmt.Sprintf("%s is not what it was when it was looked at", step.ID))
	case err != nil:
		e.fail(err)
	default:
		e.out.UID, e.out.Writes = step.UID, 1
		e.end(Done, "")
	}
}
