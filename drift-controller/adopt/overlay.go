// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing/fstest"
)

// key is a file of one of the two sources.
type key struct {
	inValues bool
	name     string
}

// edits are changed files.
type edits map[key][]byte

// with is a copy with one more.
func (e edits) with(k key, data []byte) edits {
	out := maps.Clone(e)
	out[k] = data
	return out
}

// overlay shows a file system with edits on it.
type overlay struct {
	base     fs.FS
	edits    edits
	inValues bool
}

func (o overlay) Open(name string) (fs.File, error) {
	if data, ok := o.edits[key{o.inValues, name}]; ok {
		return fstest.MapFS{name: &fstest.MapFile{Data: data, Mode: 0o644}}.Open(name)
	}
	return o.base.Open(name)
}

func (o overlay) Stat(name string) (fs.FileInfo, error) {
	if _, ok := o.edits[key{o.inValues, name}]; ok {
		file, err := o.Open(name)
		if err != nil {
			return nil, err
		}
		return file.Stat()
	}
	return fs.Stat(o.base, name)
}

// ReadDir also lists files that are new.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.base, name)
	if err != nil {
		return nil, err
	}
	entries = slices.Clone(entries)
	for k := range o.edits {
		if k.inValues != o.inValues || path.Dir(k.name) != name {
			continue
		}
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == path.Base(k.name) })
		info, err := o.Stat(k.name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, fs.FileInfoToDirEntry(info))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// Patched is a source with the changed files in place.
func Patched(base fs.FS, files []File, inValues bool) fs.FS {
	with := edits{}
	for _, f := range files {
		with[key{f.InValues, f.Name}] = f.After
	}
	return overlay{base: base, edits: with, inValues: inValues}
}

func (m *maker) fsOf(k key) fs.FS {
	if k.inValues {
		return m.source.Options.Helm.ValuesFS
	}
	return m.source.Files
}

// read gives a file as it is after some edits.
func (m *maker) read(after edits, k key) ([]byte, error) {
	if data, ok := after[k]; ok {
		return data, nil
	}
	data, err := fs.ReadFile(m.fsOf(k), k.name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", k.name, err)
	}
	return data, nil
}

func (m *maker) files() ([]File, error) {
	var files []File
	for k, after := range m.edited {
		before, err := fs.ReadFile(m.fsOf(k), k.name)
		if errors.Is(err, fs.ErrNotExist) {
			before, err = nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", k.name, err)
		}
		if !bytes.Equal(before, after) {
			files = append(files, File{InValues: k.inValues, Name: k.name, Before: before, After: after})
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}
