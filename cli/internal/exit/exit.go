// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package exit is the exit codes of holdfast, which scripts rely on.
//
// In: the error that a verb ended with. Out: the code of the process. It never
// prints and never ends the process.
package exit

import (
	"errors"

	"github.com/holdfast-gitops/holdfast/cli/internal/report"
)

// The codes, as diff has them.
const (
	// OK: done; for verbs that compare, in sync.
	OK = 0
	// Different: the comparison worked and something differs.
	Different = 1
	// Failed: the verb could not do its work, or could not tell.
	Failed = 2
)

// ErrDifferent ends a verb that found differences. There is nothing more to
// say: the report has been printed.
var ErrDifferent = errors.New("differences were found")

// ErrUndecided ends a verb that printed a report which cannot tell whether
// anything differs: a verdict that is missing, has expired or is partial.
var ErrUndecided = errors.New("it is not known whether anything differs")

// Code of an error; nil is OK.
func Code(err error) int {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, ErrDifferent):
		return Different
	default:
		return Failed
	}
}

// Of turns what a report amounts to into the error that a verb ends with.
func Of(o report.Outcome) error {
	switch o {
	case report.InSync:
		return nil
	case report.Differs:
		return ErrDifferent
	default:
		return ErrUndecided
	}
}

// Silent tells that the report says it all, so that no error line follows.
func Silent(err error) bool { return errors.Is(err, ErrDifferent) }
