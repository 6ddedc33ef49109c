// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrMoved: a file has changed since it was read.
var ErrMoved = errors.New("the file has changed meanwhile")

// replace writes a file beside its place and moves it there, so that nobody
// sees half of one. before is nil for a new file. The root keeps it from
// leaving the working tree, through links too.
func replace(root *os.Root, name string, before, after []byte) error {
	mode := fs.FileMode(0o644)
	now, err := root.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && before == nil:
	case err != nil:
		return fmt.Errorf("writing %s: %w", name, err)
	case before == nil || !bytes.Equal(now, before):
		return fmt.Errorf("%s: %w: run the same again", name, ErrMoved)
	default:
		info, err := root.Stat(name)
		if err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		mode = info.Mode().Perm()
	}
	beside := name + ".holdfast-new"
	if err := root.WriteFile(beside, after, mode); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := errors.Join(root.Chmod(beside, mode), root.Rename(beside, name)); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", name, err), root.Remove(beside))
	}
	return nil
}
