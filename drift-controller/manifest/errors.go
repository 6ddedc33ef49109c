// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"errors"
	"strconv"
)

// The kinds of fault a manifest can have; use errors.Is.
var (
	// ErrSyntax: the text is neither YAML nor JSON.
	ErrSyntax = errors.New("not readable as YAML or JSON")
	// ErrDuplicateKey: a mapping key stands twice.
	ErrDuplicateKey = errors.New("mapping key set twice")
	// ErrNotObject: a document is no Kubernetes object.
	ErrNotObject = errors.New("not a Kubernetes object")
	// ErrDuplicateObject: two documents declare the same object.
	ErrDuplicateObject = errors.New("object declared twice")
	// ErrTooComplex: nesting or aliases go beyond what is read.
	ErrTooComplex = errors.New("document too complex")
)

// Error is a fault with its place. The message holds keys and names only,
// never a value: it may end up in a status.
type Error struct {
	Kind    error
	Source  Source
	Message string
}

func (e *Error) Error() string { return e.Source.String() + ": " + e.Message }

// Unwrap gives the kind.
func (e *Error) Unwrap() error { return e.Kind }

// Source is where a document begins: a file of the artifact, and the line in
// it. Line is 0 where lines mean nothing, as in the output of a template.
type Source struct {
	File string
	Line int
}

// String is file:line, or the file alone.
func (s Source) String() string {
	if s.Line == 0 {
		return s.File
	}
	return s.File + ":" + strconv.Itoa(s.Line)
}
