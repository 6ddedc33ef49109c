// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package assembly

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
)

// Kinds of failure.
var (
	// ErrMissing: a path is not in the tree.
	ErrMissing = errors.New("path not found")
	// ErrIllegal: a path that could lead out of the tree.
	ErrIllegal = errors.New("illegal path")
	// ErrOccupied: something else is in the way.
	ErrOccupied = errors.New("path is in use")
)

// Part is a tree, or what lies below From in it, that goes to To.
type Part struct {
	Tree archive.Tree
	From string
	To   string
	// GitFile is the content of a .git file in it, as a checkout of a submodule has
	// one; empty for none.
	GitFile string
}

// joined is a base with parts in it.
type joined struct {
	base    archive.Tree
	entries []archive.Entry
	foreign map[string]foreign // by path
}

// foreign is an entry that another tree has the bytes of.
type foreign struct {
	tree  archive.Tree
	entry archive.Entry
}

// Entries are those of the base and of the parts.
func (j *joined) Entries() []archive.Entry { return j.entries }

// Copy asks the tree that the entry came from.
func (j *joined) Copy(w io.Writer, entry archive.Entry) error {
	if other, found := j.foreign[entry.Path]; found {
		return other.tree.Copy(w, other.entry)
	}
	return j.base.Copy(w, entry)
}

// Join puts parts into a tree, one after the other: a part may go into one that
// came before it. Each takes the place of an empty folder, or of a file if it is
// one itself; anything else in the way is an error, as it is for a rename on
// disk.
func Join(base archive.Tree, parts ...Part) (archive.Tree, error) {
	tree := &joined{base: base, entries: base.Entries(), foreign: map[string]foreign{}}
	for _, part := range parts {
		if err := tree.add(part); err != nil {
			return nil, err
		}
	}
	return tree, nil
}

func (j *joined) add(part Part) error {
	to := inside(part.To)
	if err := j.checkWay(to); err != nil {
		return err
	}
	picked, err := pick(part, to)
	if err != nil {
		return err
	}
	picked = withGitFile(picked, part, to)
	isFile := len(picked) == 1 && picked[0].to == to && picked[0].entry.Kind != archive.Folder
	entries := make([]archive.Entry, 0, len(j.entries)+len(picked))
	for _, entry := range j.entries {
		switch {
		case strings.HasPrefix(entry.Path, to+"/"):
			return fmt.Errorf("%w: '%s' is a folder that is not empty", ErrOccupied, part.To)
		case entry.Path != to:
			// A folder that gets its first file is no longer one of its own.
			if entry.Kind != archive.Folder || !strings.HasPrefix(to, entry.Path+"/") {
				entries = append(entries, entry)
			}
		case isFile != (entry.Kind != archive.Folder):
			return fmt.Errorf("%w: '%s' is a file on one side and a folder on the other", ErrOccupied, part.To)
		}
	}
	for _, p := range picked {
		original := p.entry
		p.entry.Path = p.to
		entries = append(entries, p.entry)
		from := part.Tree
		if p.entry.Marker {
			from = text(part.GitFile)
		}
		j.foreign[p.to] = foreign{tree: from, entry: original}
	}
	j.entries = entries
	return nil
}

// withGitFile adds the file that a checkout of a submodule has. Its folder is then
// no empty one.
func withGitFile(all []picked, part Part, to string) []picked {
	if part.GitFile == "" {
		return all
	}
	if len(all) == 1 && all[0].to == to && all[0].entry.Kind == archive.Folder {
		all = nil
	}
	marker := archive.Entry{Path: gitFile, Kind: archive.File, Size: int64(len(part.GitFile)), Digest: "gitfile " + part.GitFile, Marker: true}
	return append(all, picked{marker, to + "/" + gitFile})
}

const gitFile = ".git"

// text is a tree of one file with this content.
type text string

// Entries is never asked: the joined tree has the entry.
func (t text) Entries() []archive.Entry { return nil }

// Copy writes the text.
func (t text) Copy(w io.Writer, _ archive.Entry) error {
	_, err := io.WriteString(w, string(t))
	return err
}

// checkWay refuses a destination that a link or a file stands in the way of.
func (j *joined) checkWay(to string) error {
	if to == "" {
		return fmt.Errorf("%w: the root of the tree is not empty; choose a folder", ErrOccupied)
	}
	for _, name := range strings.Split(to, "/") {
		if strings.EqualFold(name, ".git") {
			return fmt.Errorf("%w: '%s' lies in a .git folder", ErrIllegal, to)
		}
	}
	for _, entry := range j.entries {
		onTheWay := strings.HasPrefix(to, entry.Path+"/")
		switch {
		case entry.Kind == archive.Symlink && (onTheWay || entry.Path == to):
			return fmt.Errorf("%w: '%s' passes through the symbolic link '%s'", ErrIllegal, to, entry.Path)
		case onTheWay && entry.Kind != archive.Folder:
			return fmt.Errorf("%w: '%s' lies below the file '%s'", ErrOccupied, to, entry.Path)
		}
	}
	return nil
}

// picked is an entry of a part and where it goes.
type picked struct {
	entry archive.Entry
	to    string
}

func pick(part Part, to string) ([]picked, error) {
	from := inside(part.From)
	var all []picked
	for _, entry := range part.Tree.Entries() {
		switch {
		case from == "":
			all = append(all, picked{entry, to + "/" + entry.Path})
		case entry.Path == from:
			all = append(all, picked{entry, to})
		case strings.HasPrefix(entry.Path, from+"/"):
			all = append(all, picked{entry, to + strings.TrimPrefix(entry.Path, from)})
		}
	}
	if len(all) == 0 && from != "" {
		return nil, fmt.Errorf("%w: there is no '%s'", ErrMissing, part.From)
	}
	if len(all) == 0 {
		// What is empty still leaves a folder.
		all = append(all, picked{archive.Entry{Kind: archive.Folder}, to})
	}
	return all, nil
}
