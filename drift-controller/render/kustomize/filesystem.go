// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package kustomize

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/holdfast-gitops/holdfast/api/drift/v1alpha1"
	"github.com/holdfast-gitops/holdfast/drift-controller/render/tree"
)

// mount is where kustomize believes the tree to be. It is not the root, since
// kustomize cleans paths: below "/" one that leads out would silently lead to
// the root again instead of being refused.
const mount = "/artifact"

var errReadOnly = errors.New("the artifact cannot be written")

// fileSystem shows the tree to kustomize, and examines each kustomization file
// on the way. kustomize reads on after an error (a file that cannot be read
// may be a folder), so the first refusal is kept aside and wins.
type fileSystem struct {
	tree      *tree.Tree
	root      string // the kustomization file that overrides are put on
	overrides v1alpha1.KustomizeRender

	refusal      error
	customSchema bool
	keepOrigins  bool
}

var _ filesys.FileSystem = (*fileSystem)(nil)

func (f *fileSystem) refuse(err error) error {
	if f.refusal == nil {
		f.refusal = err
	}
	return err
}

// name turns kustomize's path into one of the tree.
func (f *fileSystem) name(p string) (string, error) {
	p = path.Clean(filepath.ToSlash(p))
	if p == mount {
		return ".", nil
	}
	name, below := strings.CutPrefix(p, mount+"/")
	if !below {
		return "", f.refuse(&tree.Error{Kind: tree.ErrLeaves, Path: f.root, Message: "a path leaves the repository"})
	}
	return name, nil
}

func (f *fileSystem) kind(p string) tree.Kind {
	name, err := f.name(p)
	if err != nil {
		return tree.Absent
	}
	kind, err := f.tree.Kind(name)
	if err != nil {
		_ = f.refuse(err) // this interface has no way to return it
	}
	return kind
}

func (f *fileSystem) Exists(p string) bool { return f.kind(p) != tree.Absent }
func (f *fileSystem) IsDir(p string) bool  { return f.kind(p) == tree.Dir }

// CleanedAbs splits a path into folder and file.
func (f *fileSystem) CleanedAbs(p string) (filesys.ConfirmedDir, string, error) {
	clean := path.Clean(filepath.ToSlash(p))
	switch f.kind(clean) {
	case tree.Dir:
		return filesys.ConfirmedDir(clean), "", nil
	case tree.Absent:
		return "", "", &fs.PathError{Op: "open", Path: clean, Err: fs.ErrNotExist}
	default:
		return filesys.ConfirmedDir(path.Dir(clean)), path.Base(clean), nil
	}
}

// ReadFile reads a file; a kustomization file is examined, and the first one
// gets the overrides.
func (f *fileSystem) ReadFile(p string) ([]byte, error) {
	name, err := f.name(p)
	if err != nil {
		return nil, err
	}
	data, err := f.tree.ReadFile(name)
	switch {
	case errors.Is(err, tree.ErrMissing) || errors.Is(err, tree.ErrUnreadable):
		return nil, err // kustomize tries names to see whether they are there
	case err != nil:
		return nil, f.refuse(err)
	case !isKustomizationFile(name):
		if err := examinePlugins(name, data); err != nil {
			return nil, f.refuse(err)
		}
		return data, nil
	}
	if data, err = f.kustomization(name, data); err != nil {
		return nil, f.refuse(err)
	}
	return data, nil
}

// ReadDir lists names, as kustomize's own file systems do.
func (f *fileSystem) ReadDir(p string) ([]string, error) {
	name, err := f.name(p)
	if err != nil {
		return nil, err
	}
	entries, err := f.tree.List(name)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name)
	}
	return names, nil
}

// The rest of the interface: nothing that kustomize does to build calls it.

func (f *fileSystem) Create(string) (filesys.File, error)  { return nil, errReadOnly }
func (f *fileSystem) Mkdir(string) error                   { return errReadOnly }
func (f *fileSystem) MkdirAll(string) error                { return errReadOnly }
func (f *fileSystem) RemoveAll(string) error               { return errReadOnly }
func (f *fileSystem) WriteFile(string, []byte) error       { return errReadOnly }
func (f *fileSystem) Open(string) (filesys.File, error)    { return nil, errors.ErrUnsupported }
func (f *fileSystem) Glob(string) ([]string, error)        { return nil, errors.ErrUnsupported }
func (f *fileSystem) Walk(string, filepath.WalkFunc) error { return errors.ErrUnsupported }
