// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package assembly

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/holdfast-gitops/holdfast/source-controller/internal/archive"
)

// Unpacked is the content of an artifact.
type Unpacked struct {
	entries []archive.Entry
	offsets map[string]int64 // by path
	spool   *os.File
}

// Limits bound what is unpacked; zero is no bound. Every artifact was bounded
// when it was packed, so these hold against one that somebody else wrote.
type Limits struct {
	Bytes int64
	Files int
}

// Unpack reads a gzipped tarball. Its bytes go to a file that has no name, so
// that nothing is left of it whatever happens to this process.
func Unpack(packed io.Reader, limits Limits) (*Unpacked, error) {
	spool, err := os.CreateTemp("", "holdfast-include-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(spool.Name()); err != nil {
		return nil, errors.Join(err, spool.Close())
	}
	u := &Unpacked{offsets: map[string]int64{}, spool: spool}
	if err := u.read(packed, limits); err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

// Close gives the space back.
func (u *Unpacked) Close() error { return u.spool.Close() }

// Entries are the files of the artifact, and the folders without any.
func (u *Unpacked) Entries() []archive.Entry { return u.entries }

// Copy writes the bytes of a file.
func (u *Unpacked) Copy(w io.Writer, entry archive.Entry) error {
	offset, found := u.offsets[entry.Path]
	if !found {
		return fmt.Errorf("%w: '%s' is not in the artifact", ErrMissing, entry.Path)
	}
	_, err := io.Copy(w, io.NewSectionReader(u.spool, offset, entry.Size))
	return err
}

func (u *Unpacked) read(packed io.Reader, limits Limits) error {
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return fmt.Errorf("the artifact is no gzipped tarball: %w", err)
	}
	tarball := tar.NewReader(unzipped)
	var at int64
	folders := map[string]bool{}
	for {
		header, err := tarball.Next()
		switch {
		case errors.Is(err, io.EOF):
			u.addEmpty(folders)
			return nil
		case err != nil:
			return fmt.Errorf("the artifact is no gzipped tarball: %w", err)
		case limits.Files > 0 && len(u.entries)+len(folders) >= limits.Files:
			return fmt.Errorf("%w: the artifact has more than %d files", archive.ErrTooLarge, limits.Files)
		case limits.Bytes > 0 && header.Size > limits.Bytes-at:
			return fmt.Errorf("%w: the artifact has more than %d bytes", archive.ErrTooLarge, limits.Bytes)
		}
		name := inside(header.Name)
		switch header.Typeflag {
		case tar.TypeDir:
			folders[name] = true
		case tar.TypeReg:
			if err := u.store(tarball, header, name, at); err != nil {
				return err
			}
			at += header.Size
		default:
			return fmt.Errorf("%w: the artifact holds '%s', which is neither file nor folder", archive.ErrHostile, header.Name)
		}
	}
}

// store spools one file. Its digest becomes its name: equal content is known to
// be equal, wherever it came from.
func (u *Unpacked) store(content io.Reader, header *tar.Header, name string, at int64) error {
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(u.spool, sum), content); err != nil {
		return fmt.Errorf("cannot unpack '%s': %w", name, err)
	}
	kind := archive.File
	if header.FileInfo().Mode()&0o100 != 0 {
		kind = archive.Executable
	}
	digest := "sha256:" + hex.EncodeToString(sum.Sum(nil))
	u.entries = append(u.entries, archive.Entry{Path: name, Kind: kind, Size: header.Size, ID: digest, Digest: digest})
	u.offsets[name] = at
	return nil
}

// addEmpty adds the folders that hold nothing: those that do follow from paths.
func (u *Unpacked) addEmpty(folders map[string]bool) {
	delete(folders, "")
	used := map[string]bool{}
	mark := func(p string) {
		for i := strings.LastIndexByte(p, '/'); i > 0; i = strings.LastIndexByte(p, '/') {
			p = p[:i]
			used[p] = true
		}
	}
	for _, entry := range u.entries {
		mark(entry.Path)
	}
	for folder := range folders {
		mark(folder)
	}
	for folder := range folders {
		if !used[folder] {
			u.entries = append(u.entries, archive.Entry{Path: folder, Kind: archive.Folder})
		}
	}
}
