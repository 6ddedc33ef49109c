// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// The kinds of fault that reading a tree can have; use errors.Is.
var (
	ErrMissing    = errors.New("does not exist")
	ErrLeaves     = errors.New("leaves the repository")
	ErrTooLarge   = errors.New("too large")
	ErrUnreadable = errors.New("cannot be read")
)

// Error is a fault at a path.
type Error struct {
	Kind    error
	Path    string
	Message string
}

func (e *Error) Error() string { return e.Path + ": " + e.Message }

// Unwrap gives the kind.
func (e *Error) Unwrap() error { return e.Kind }

func fault(kind error, path, format string, args ...any) error {
	return &Error{Kind: kind, Path: path, Message: fmt.Sprintf(format, args...)}
}

// readFault names what a file system error means. Its text is not passed on,
// since it may hold the path of a temporary folder.
func readFault(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault(ErrMissing, path, "does not exist")
	case strings.Contains(err.Error(), "escapes from parent"):
		// os.Root has no exported error for a link that leads out of it.
		return fault(ErrLeaves, path, "is a symbolic link that leaves the repository")
	case errors.Is(err, fs.ErrPermission):
		return fault(ErrUnreadable, path, "cannot be read: permission denied")
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return fault(ErrUnreadable, path, "cannot be read: %v", pathError.Err)
	}
	return fault(ErrUnreadable, path, "cannot be read")
}
