// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fluxcd/pkg/sourceignore"
	"github.com/fluxcd/pkg/sourceignore/gitignore"
)

// filtered hides what the source-controller leaves out of an artifact.
type filtered struct {
	base   fs.FS
	ignore gitignore.Matcher
}

// Filter wraps a file system; ignore is spec.ignore of the source, nil if it
// has none.
func Filter(base fs.FS, ignore *string) (fs.FS, error) {
	patterns, err := patternsOf(base)
	if err != nil {
		return nil, fmt.Errorf("reading %s files: %w", sourceignore.IgnoreFile, err)
	}
	if ignore != nil {
		patterns = append(patterns, sourceignore.ReadPatterns(strings.NewReader(*ignore), nil)...)
	}
	// As in Flux: one pattern of one's own switches the defaults off.
	if len(patterns) == 0 {
		return &filtered{base: base, ignore: sourceignore.NewDefaultMatcher(nil, nil)}, nil
	}
	patterns = append(sourceignore.VCSPatterns(nil), patterns...)
	return &filtered{base: base, ignore: sourceignore.NewMatcher(patterns)}, nil
}

// patternsOf reads the ignore files of the whole tree, those of a folder
// before those below it, so that the deeper pattern wins.
func patternsOf(base fs.FS) ([]gitignore.Pattern, error) {
	var patterns []gitignore.Pattern
	err := fs.WalkDir(base, ".", func(folder string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && errors.Is(err, fs.ErrPermission):
			return fs.SkipDir // what cannot be read cannot be rendered either, which then says so
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case d.Name() == ".git":
			return fs.SkipDir
		}
		text, err := fs.ReadFile(base, path.Join(folder, sourceignore.IgnoreFile))
		if err == nil {
			patterns = append(patterns, sourceignore.ReadPatterns(bytes.NewReader(text), domain(folder))...)
		}
		return nil
	})
	return patterns, err
}

func domain(folder string) []string {
	if folder == "." {
		return nil
	}
	return strings.Split(folder, "/")
}

// Open opens what is not hidden.
func (f *filtered) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if err := f.visible("open", name); err != nil {
		return nil, err
	}
	file, err := f.base.Open(name)
	if err != nil {
		return nil, err
	}
	if folder, ok := file.(fs.ReadDirFile); ok {
		return &filteredFolder{ReadDirFile: folder, hides: func(e fs.DirEntry) bool {
			return f.hides(path.Join(name, e.Name()), e.Type())
		}}, nil
	}
	return file, nil
}

// filteredFolder is an open folder, or a file of a kind that could be one.
type filteredFolder struct {
	fs.ReadDirFile
	hides func(fs.DirEntry) bool
}

// ReadDir lists on until something is visible: an empty answer would mean the
// end.
func (d *filteredFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	for {
		entries, err := d.ReadDirFile.ReadDir(n)
		entries = slices.DeleteFunc(entries, d.hides)
		if n <= 0 || err != nil || len(entries) > 0 {
			return entries, err
		}
	}
}

// ReadDir lists what is not hidden.
func (f *filtered) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.visible("readdir", name); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(f.base, name)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return f.hides(path.Join(name, e.Name()), e.Type()) }), nil
}

// Stat describes what is not hidden.
func (f *filtered) Stat(name string) (fs.FileInfo, error) {
	if err := f.visible("stat", name); err != nil {
		return nil, err
	}
	return fs.Stat(f.base, name)
}

// visible fails for what is hidden by itself or by a folder above it.
func (f *filtered) visible(op, name string) error {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := fs.Lstat(f.base, at)
		if err != nil {
			return err
		}
		if f.hides(at, info.Mode().Type()) {
			return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
	}
	return nil
}

// hides: artifacts hold folders and regular files only.
func (f *filtered) hides(name string, mode fs.FileMode) bool {
	if mode&^fs.ModeDir != 0 {
		return true
	}
	return f.ignore.Match(strings.Split(name, "/"), mode.IsDir())
}
