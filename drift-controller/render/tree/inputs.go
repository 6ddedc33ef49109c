// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Inputs are what a render looked at: contents of files, members of folders,
// and whether something was there at all.
type Inputs struct {
	seen map[string]string
}

const (
	fileMark = "file "
	kindMark = "kind "
	listKind = "list "
)

func fileKey(name string) string { return fileMark + name }
func kindKey(name string) string { return kindMark + name }
func listKey(name string) string { return listKind + name }

// Inputs gives what was looked at so far.
func (t *Tree) Inputs() Inputs { return Inputs{seen: maps.Clone(t.seen)} }

// Files are the files whose content was read, in order.
func (i Inputs) Files() []string {
	var files []string
	for key := range i.seen {
		if name, isFile := strings.CutPrefix(key, fileMark); isFile {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return files
}

// Digest is one digest over everything; equal digests mean equal inputs.
func (i Inputs) Digest() string {
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(i.seen)) {
		fmt.Fprintf(sum, "%q %s\n", key, i.seen[key])
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// Verify says whether fsys answers every question as it was answered before.
// Nothing looked at verifies nothing.
func (i Inputs) Verify(fsys fs.FS) bool {
	for key, want := range i.seen {
		name := key[len(fileMark):]
		var got string
		switch key[:len(fileMark)] {
		case fileMark:
			got = verifyFile(fsys, name, want)
		case kindMark:
			kind, err := kindOf(fsys, name)
			if err != nil {
				return false
			}
			got = string(kind)
		case listKind:
			members, err := membersOf(fsys, name)
			if err != nil {
				return false
			}
			got = listMark(members)
		}
		if got != want {
			return false
		}
	}
	return len(i.seen) > 0
}

// verifyFile reads a file only if its size is the expected one.
func verifyFile(fsys fs.FS, name, want string) string {
	var expected int64
	if _, err := fmt.Sscan(want, &expected); err != nil {
		return ""
	}
	file, err := fsys.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() != expected {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(file, expected+1))
	if err != nil {
		return ""
	}
	return contentMark(data)
}
