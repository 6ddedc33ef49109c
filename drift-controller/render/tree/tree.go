// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Limits bound what one render may read and give.
type Limits struct {
	FileBytes  int64 // of one file
	TotalBytes int64 // of all files, and of the rendered text
	Objects    int
}

// DefaultLimits fit the largest charts in public use several times over.
var DefaultLimits = Limits{FileBytes: 10 << 20, TotalBytes: 64 << 20, Objects: 10_000}

// OrDefault fills in the limits that are not set.
func (l Limits) OrDefault() Limits {
	if l.FileBytes <= 0 {
		l.FileBytes = DefaultLimits.FileBytes
	}
	if l.TotalBytes <= 0 {
		l.TotalBytes = DefaultLimits.TotalBytes
	}
	if l.Objects <= 0 {
		l.Objects = DefaultLimits.Objects
	}
	return l
}

// Kind is what stands at a path, links followed.
type Kind string

// The kinds.
const (
	Absent Kind = "absent"
	File   Kind = "file"
	Dir    Kind = "dir"
	Other  Kind = "other"
)

// Entry is a member of a folder.
type Entry struct {
	Name string
	Kind Kind
	// Link says that the entry is a symbolic link; Kind is that of its target.
	Link bool
}

// Tree reads an artifact for one render, on one goroutine.
type Tree struct {
	fsys        fs.FS
	limits      Limits
	interrupted func() error
	decode      Decode
	read        int64
	seen        map[string]string
}

// Decode gives the content of a file another form, such as the one in the
// clear. What is on record of the file is what stands in the artifact.
type Decode func(name string, data []byte) ([]byte, error)

// Decoding has every file pass through decode.
func (t *Tree) Decoding(decode Decode) *Tree {
	t.decode = decode
	return t
}

// New looks at fsys. interrupted is asked before every read and ends the
// render with its error: pass ctx.Err.
func New(fsys fs.FS, limits Limits, interrupted func() error) *Tree {
	return &Tree{fsys: fsys, limits: limits.OrDefault(), interrupted: interrupted, seen: map[string]string{}}
}

// Limits are those that hold.
func (t *Tree) Limits() Limits { return t.limits }

// Interrupted says that the render has run out of time.
func (t *Tree) Interrupted() error { return t.interrupted() }

// Join resolves a reference that stands in a file of the folder base. One that
// leads out of the root is an error.
func Join(base, reference string) (string, error) {
	if strings.HasPrefix(reference, "/") {
		return "", fault(ErrLeaves, reference, "is an absolute path: name it relative to %s", base)
	}
	joined := path.Join(base, reference)
	if joined == ".." || strings.HasPrefix(joined, "../") {
		return "", fault(ErrLeaves, reference, "leaves the repository, seen from %s", base)
	}
	return joined, nil
}

// ReadFile reads a whole file, if the limits allow it.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	// Looked at first: to open a pipe would wait for its writer.
	kind, err := t.Kind(name)
	switch {
	case err != nil:
		return nil, err
	case kind == Absent:
		return nil, fault(ErrMissing, name, "does not exist")
	case kind == Dir:
		return nil, fault(ErrUnreadable, name, "is a folder, not a file")
	case kind == Other:
		return nil, fault(ErrUnreadable, name, "is no regular file")
	}
	file, err := t.fsys.Open(name)
	if err != nil {
		return nil, readFault(name, err)
	}
	defer file.Close()
	data, err := t.readAll(name, file)
	if err != nil {
		return nil, err
	}
	t.seen[fileKey(name)] = contentMark(data)
	if isPointer(name, data) {
		return nil, fault(ErrUnreadable, name, "is a Git LFS pointer, not the file itself, which no source fetches: keep manifests in Git, or render before you push")
	}
	if t.decode != nil {
		return t.decode(name, data)
	}
	return data, nil
}

// A pointer of Git LFS is small and valid YAML. Read as a manifest it fails far
// away, or counts as no object at all, which would read as a removal.
const (
	pointerPrefix = "version https://git-lfs.github.com/spec/"
	maxPointer    = 1024
)

// isPointer looks at what renderers parse; other files may be pointers that
// nobody reads.
func isPointer(name string, data []byte) bool {
	parsed := slices.Contains([]string{".yaml", ".yml", ".json", ".tpl"}, path.Ext(name))
	return parsed && len(data) <= maxPointer && strings.HasPrefix(string(data), pointerPrefix)
}

// readAll does not trust the size that Stat gives: it reads one byte more than
// allowed and looks whether it is there.
func (t *Tree) readAll(name string, file io.Reader) ([]byte, error) {
	allowed := min(t.limits.FileBytes, t.limits.TotalBytes-t.read)
	data, err := io.ReadAll(io.LimitReader(file, allowed+1))
	if err != nil {
		return nil, readFault(name, err)
	}
	t.read += int64(len(data))
	if int64(len(data)) <= allowed {
		return data, nil
	}
	if allowed == t.limits.FileBytes {
		return nil, fault(ErrTooLarge, name, "is larger than the limit of %s for one file", size(t.limits.FileBytes))
	}
	return nil, fault(ErrTooLarge, name, "with it the files that are read are larger than the limit of %s", size(t.limits.TotalBytes))
}

// Kind tells what stands at a path. It fails only where that cannot be told.
func (t *Tree) Kind(name string) (Kind, error) {
	if err := t.interrupted(); err != nil {
		return Absent, err
	}
	kind, err := kindOf(t.fsys, name)
	if err != nil {
		return Absent, readFault(name, err)
	}
	t.seen[kindKey(name)] = string(kind)
	return kind, nil
}

func kindOf(fsys fs.FS, name string) (Kind, error) {
	info, err := fs.Stat(fsys, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Absent, nil
	case err != nil:
		return Absent, err
	case info.IsDir():
		return Dir, nil
	case info.Mode().IsRegular():
		return File, nil
	default:
		return Other, nil
	}
}

// List gives the members of a folder, ordered by name.
func (t *Tree) List(dir string) ([]Entry, error) {
	if err := t.interrupted(); err != nil {
		return nil, err
	}
	members, err := membersOf(t.fsys, dir)
	if err != nil {
		return nil, readFault(dir, err)
	}
	t.seen[listKey(dir)] = listMark(members)
	entries := make([]Entry, 0, len(members))
	for _, member := range members {
		entry := Entry{Name: member.Name(), Kind: Other}
		switch {
		case member.Type()&fs.ModeSymlink != 0:
			entry.Link = true
			if entry.Kind, err = t.Kind(path.Join(dir, member.Name())); err != nil {
				return nil, err
			}
		case member.IsDir():
			entry.Kind = Dir
		case member.Type().IsRegular():
			entry.Kind = File
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// membersOf does not rely on a file system to order its folders.
func membersOf(fsys fs.FS, dir string) ([]fs.DirEntry, error) {
	members, err := fs.ReadDir(fsys, dir)
	slices.SortFunc(members, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return members, err
}

func contentMark(data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%d %s", len(data), hex.EncodeToString(sum[:]))
}

func listMark(members []fs.DirEntry) string {
	var names strings.Builder
	for _, member := range members {
		fmt.Fprintf(&names, "%s %q\n", member.Type(), member.Name())
	}
	return contentMark([]byte(names.String()))
}

func size(bytes int64) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
