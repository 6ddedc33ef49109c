// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"slices"
)

// PathDigest is a digest of everything below a path and below the extra paths:
// names, kinds and contents, and whether each is there at all. Equal digests of
// two artifacts mean that a commit did not touch what stands there. It is
// coarser than the inputs that a render records, and needs no render.
func (t *Tree) PathDigest(dir string, extra ...string) (string, error) {
	sum := sha256.New()
	paths := append([]string{dir}, extra...)
	slices.Sort(paths)
	for _, name := range slices.Compact(paths) {
		if err := digestPath(sum, t.FS(), path.Clean(name)); err != nil {
			return "", err
		}
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

func digestPath(sum hash.Hash, fsys fs.FS, name string) error {
	return fs.WalkDir(fsys, name, func(at string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && at == name {
			fmt.Fprintf(sum, "absent %q\n", at)
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %q\n", entry.Type(), at)
		if !entry.Type().IsRegular() {
			return nil
		}
		return digestFile(sum, fsys, at)
	})
}

// digestFile puts the digest of the content into the sum, not the content
// itself, so that no content can look like the name of another file.
func digestFile(sum hash.Hash, fsys fs.FS, name string) error {
	file, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	content := sha256.New()
	if _, err := io.Copy(content, file); err != nil {
		return err
	}
	_, err = sum.Write(content.Sum(nil))
	return err
}
