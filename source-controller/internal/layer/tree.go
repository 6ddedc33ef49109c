// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package layer

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
)

// Tree is an unpacked layer.
type Tree struct {
	scratch *os.File
	entries []archive.Entry
	links   int
}

// Entries are the files, and the folders that are empty.
func (t *Tree) Entries() []archive.Entry { return t.entries }

// Links is the number of symbolic links that were left out.
func (t *Tree) Links() int { return t.links }

// Copy writes the bytes of a file.
func (t *Tree) Copy(w io.Writer, entry archive.Entry) error {
	offset, err := strconv.ParseInt(entry.ID, 36, 64)
	if err != nil {
		return fmt.Errorf("no file of this layer: %w", err)
	}
	n, err := io.Copy(w, io.NewSectionReader(t.scratch, offset, entry.Size))
	if err == nil && n != entry.Size {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// position is where a file's bytes begin, as an entry keeps it.
func position(offset int64) string { return strconv.FormatInt(offset, 36) }

var _ archive.Tree = &Tree{}
