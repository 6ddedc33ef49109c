// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package sops

import (
	"errors"
	"fmt"
)

// The kinds of failure.
var (
	// ErrKey: none of the identities opens the file.
	ErrKey = errors.New("no key opens it")
	// ErrProvider: the file is not encrypted for age, or in a way that is not
	// offered.
	ErrProvider = errors.New("the way of encryption is not offered")
	// ErrDamaged: the file was edited after it was encrypted, or is broken.
	ErrDamaged = errors.New("it was changed after it was encrypted")
	// ErrIdentity: a key is no age identity.
	ErrIdentity = errors.New("not an age identity")
)

// Error is a failure with its file. Its message is all our own: those of
// parsers and ciphers quote what they were given.
type Error struct {
	Kind    error
	File    string
	Message string
}

func (e *Error) Error() string { return e.File + ": " + e.Message }

func (e *Error) Unwrap() error { return e.Kind }

func fault(kind error, file, format string, args ...any) error {
	return &Error{Kind: kind, File: file, Message: fmt.Sprintf(format, args...)}
}
