// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package halt is the whole error vocabulary that a reconciliation ends with.
//
// A stage that cannot finish returns one of three kinds: Retry (something
// failed, try again with backoff), Wait (something else has to happen first,
// look again after a delay or on its event) or Stalled (only a change of the
// object or its inputs helps). Success is never an error. The status packages
// are the only place that turns a halt into conditions.
package halt

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what helps against a halt.
type Kind string

const (
	// Retry: an operation failed; the same attempt may work later.
	Retry Kind = "Retry"
	// Wait: an input is not there yet; its arrival is an event of its own.
	Wait Kind = "Wait"
	// Stalled: nothing but a change of the declaration helps.
	Stalled Kind = "Stalled"
)

// Error is a halt with the condition reason it is reported under.
type Error struct {
	Kind   Kind
	Reason string        // CamelCase condition reason, from api/contract
	After  time.Duration // for Wait: when to look again at the latest; zero means on its event only
	Cause  error
}

// Error is the message of the condition: the cause alone, since the reason is
// shown beside it.
func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Reason
	}
	return e.Cause.Error()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Retryf builds a Retry halt.
func Retryf(reason, format string, args ...any) *Error {
	return &Error{Kind: Retry, Reason: reason, Cause: fmt.Errorf(format, args...)}
}

// Waitf builds a Wait halt that is looked at again after the given delay.
func Waitf(reason string, after time.Duration, format string, args ...any) *Error {
	return &Error{Kind: Wait, Reason: reason, After: after, Cause: fmt.Errorf(format, args...)}
}

// Stalledf builds a Stalled halt.
func Stalledf(reason, format string, args ...any) *Error {
	return &Error{Kind: Stalled, Reason: reason, Cause: fmt.Errorf(format, args...)}
}

// Of finds the halt in an error chain; any other error is a Retry under the
// given fallback reason.
func Of(err error, fallbackReason string) *Error {
	if err == nil {
		return nil
	}
	var h *Error
	if errors.As(err, &h) {
		return h
	}
	return &Error{Kind: Retry, Reason: fallbackReason, Cause: err}
}
