// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Tree is a source's content and the name that the user knows it by.
type Tree struct {
	Files fs.FS
	// Name for the screens: "the working tree" or a revision.
	Name string
	// Write replaces or makes a file, if it still is what it was; nil if the
	// tree cannot be written.
	Write func(name string, before, after []byte) error
	// Close releases the folder.
	Close func() error
}

// ErrNoPath says that the folder is not the root of the source, or that the
// Application's path does not exist in it.
var ErrNoPath = errors.New("the application's path is not there")

// Folder opens a working tree. The folder is the root of the source, or any
// folder below it: then the root is the nearest one above that holds the
// application's path and the .git folder.
func Folder(dir, appPath string, ignore *string) (Tree, error) {
	top, err := topOf(dir, appPath)
	if err != nil {
		return Tree{}, err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return Tree{}, fmt.Errorf("opening the working tree: %w", err)
	}
	files, err := Filter(root.FS(), ignore)
	if err != nil {
		return Tree{}, errors.Join(err, root.Close())
	}
	write := func(name string, before, after []byte) error { return replace(root, name, before, after) }
	return Tree{Files: files, Name: "the working tree", Write: write, Close: root.Close}, nil
}

func topOf(dir, appPath string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("--local %s: %w", dir, err)
	}
	if info, err := os.Stat(start); err != nil || !info.IsDir() {
		return "", fmt.Errorf("--local %s is not a folder: name the root of the source's working tree", dir)
	}
	at := path.Clean("/" + appPath)[1:]
	if exists(filepath.Join(start, at)) {
		return start, nil
	}
	for top := start; filepath.Dir(top) != top; top = filepath.Dir(top) {
		if exists(filepath.Join(top, ".git")) {
			if exists(filepath.Join(top, at)) {
				return top, nil
			}
			break
		}
	}
	return "", fmt.Errorf("%w: neither %s nor the repository around it has %s; name the root of the source's working tree with --local",
		ErrNoPath, dir, appPath)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
