// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"context"
	"errors"

	"github.com/holdfast-gitops/holdfast/api/contract"
	"github.com/holdfast-gitops/holdfast/api/halt"
)

// pathError is a fault of spec.path, not of what stands there.
type pathError struct{ error }

func (e *pathError) Unwrap() error { return e.error }

// emptyError is a render without objects.
type emptyError struct{ error }

// masked shows another text than the error behind it.
type masked struct {
	error
	text string
}

func (m *masked) Error() string { return m.text }
func (m *masked) Unwrap() error { return m.error }

// halted gives an error its kind and reason. The same artifact and options
// fail again in the same way, so all but a lack of time is stalled.
func (j *job) halted(ctx context.Context, err error) error {
	cause := err
	if text := hideSecrets(err.Error(), j.secrets); text != err.Error() {
		cause = &masked{error: err, text: text}
	}
	if ctx.Err() != nil {
		return halt.Retryf(contract.BuildFailedReason, "rendering took longer than it may: %w", ctx.Err())
	}
	var badPath *pathError
	var empty *emptyError
	switch {
	case errors.As(err, &badPath):
		return halt.Stalledf(contract.PathNotFoundReason, "%w", cause)
	case errors.As(err, &empty):
		return halt.Stalledf(contract.EmptyRenderReason, "%w", cause)
	default:
		return halt.Stalledf(contract.BuildFailedReason, "%w", cause)
	}
}
