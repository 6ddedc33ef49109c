// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Kinds of failure.
var (
	// ErrHostile: a tree that no honest client makes.
	ErrHostile = errors.New("the tree is malformed")
	// ErrTooLarge: a limit was reached.
	ErrTooLarge = errors.New("the source is too large")
	// ErrIgnoreFile: a .sourceignore that cannot be read.
	ErrIgnoreFile = errors.New("cannot read the ignore file")
)

// Kind is what an entry is.
type Kind uint8

// Kinds of entries. A submodule that was not fetched is a folder, as it is in
// a checkout.
const (
	File Kind = iota
	Executable
	Symlink
	Folder
)

// Entry is one leaf of a tree: folders that hold something follow from the
// paths.
type Entry struct {
	Path string // slash-separated, relative to the root
	Kind Kind
	Size int64
	ID   string // opaque, for the Tree that made it
	// Digest names the bytes: entries of any trees with the same digest have the
	// same. Empty where the Tree does not know; what it holds is then packed anew
	// each time.
	Digest string
	// Marker: the .git file of a submodule's folder, which a checkout has. Only
	// who puts a tree together makes one; a commit that brings its own is refused.
	Marker bool
}

// Tree is a source's content. Copy writes the bytes of a file, or the target of
// a symbolic link, and is called for one entry at a time.
type Tree interface {
	Entries() []Entry
	Copy(w io.Writer, entry Entry) error
}

// node is an entry or a folder that follows from one, in walk order.
type node struct {
	entry  Entry
	folder bool
}

// walkOrder checks the entries and gives them with their folders, in the order
// of a lexical walk.
func walkOrder(entries []Entry) ([]node, error) {
	nodes := make([]node, 0, len(entries)*5/4)
	folders := map[string]bool{}
	for _, entry := range entries {
		checked := entry.Path
		if entry.Marker {
			checked = parent(checked)
		}
		if err := checkPath(checked); err != nil {
			return nil, err
		}
		nodes = append(nodes, node{entry: entry, folder: entry.Kind == Folder})
		for dir := parent(entry.Path); dir != "" && !folders[dir]; dir = parent(dir) {
			folders[dir] = true
			nodes = append(nodes, node{entry: Entry{Path: dir, Kind: Folder}, folder: true})
		}
	}
	slices.SortFunc(nodes, func(a, b node) int { return compareWalk(a.entry.Path, b.entry.Path) })
	for i := 1; i < len(nodes); i++ {
		if nodes[i].entry.Path == nodes[i-1].entry.Path {
			return nil, fmt.Errorf("%w: it has the path %q twice", ErrHostile, nodes[i].entry.Path)
		}
	}
	return nodes, nil
}

// checkPath refuses names that would escape where the archive is unpacked, or
// plant a repository there. Git's own tools never write them.
func checkPath(path string) error {
	for _, name := range strings.Split(path, "/") {
		if name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") || strings.ContainsRune(name, 0) {
			return fmt.Errorf("%w: the path %q has a component that is not allowed: %q", ErrHostile, path, name)
		}
	}
	return nil
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}

// compareWalk orders paths as a walk visits them: a folder before what it
// holds, and all that before the folder's next sibling. That is the order of
// the bytes with the separator below every other byte.
func compareWalk(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] == b[i] {
			continue
		}
		switch {
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		case a[i] < b[i]:
			return -1
		default:
			return 1
		}
	}
	return len(a) - len(b)
}
