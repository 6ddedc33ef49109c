// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/fluxcd/pkg/artifact/storage"
)

// Options are what a caller may ask for.
type Options struct {
	// Ignore is spec.ignore: patterns after those of the tree; nil for none.
	Ignore *string
	// MaxBytes bounds the sum of the packed files; zero for no bound.
	MaxBytes int64
}

// Report counts what happened. Links are left out, as in Flux; that they are
// counted is what tells people.
type Report struct {
	Files   int
	Bytes   int64
	Links   int
	Ignored int
}

// Write packs the tree into a gzipped tarball.
func Write(w io.Writer, tree Tree, options Options) (Report, error) {
	compressed := gzip.NewWriter(w)
	report, err := WriteTar(compressed, tree, options)
	if err != nil {
		return report, err
	}
	return report, compressed.Close()
}

// WriteTar packs the tree without compression.
func WriteTar(w io.Writer, tree Tree, options Options) (Report, error) {
	nodes, err := walkOrder(tree.Entries())
	if err != nil {
		return Report{}, err
	}
	matcher, err := rules(tree, nodes, options.Ignore)
	if err != nil {
		return Report{}, err
	}
	var report Report
	kept := nodes[:0]
	for _, n := range nodes {
		switch {
		case n.entry.Kind == Symlink:
			report.Links++
		case matcher.Match(strings.Split(n.entry.Path, "/"), n.folder):
			report.Ignored++
		default:
			kept = append(kept, n)
			report.count(n)
		}
	}
	if options.MaxBytes > 0 && report.Bytes > options.MaxBytes {
		return report, fmt.Errorf("%w: %d files have %d bytes together, the limit is %d; leave some out by spec.ignore or .sourceignore",
			ErrTooLarge, report.Files, report.Bytes, options.MaxBytes)
	}
	return report, writeNodes(w, tree, kept)
}

func (r *Report) count(n node) {
	if n.folder {
		return
	}
	r.Files++
	r.Bytes += n.entry.Size
}

func writeNodes(w io.Writer, tree Tree, nodes []node) error {
	tarball := tar.NewWriter(w)
	// The root has an entry of its own, and no pattern can match it.
	root := node{entry: Entry{Path: ".", Kind: Folder}, folder: true}
	for _, n := range append([]node{root}, nodes...) {
		if err := tarball.WriteHeader(header(n)); err != nil {
			return fmt.Errorf("cannot pack %q: %w", n.entry.Path, err)
		}
		if n.folder {
			continue
		}
		if err := tree.Copy(tarball, n.entry); err != nil {
			return fmt.Errorf("cannot pack %q: %w", n.entry.Path, err)
		}
	}
	return tarball.Close()
}

// header is what the header of a checked-out file is reduced to, so that equal
// content gives equal bytes wherever and whenever it is packed.
func header(n node) *tar.Header {
	if n.folder {
		return &tar.Header{Typeflag: tar.TypeDir, Name: n.entry.Path, Mode: storage.DefaultDirMode}
	}
	mode := storage.DefaultFileMode
	if n.entry.Kind == Executable {
		mode = storage.DefaultExeFileMode
	}
	return &tar.Header{Typeflag: tar.TypeReg, Name: n.entry.Path, Mode: mode, Size: n.entry.Size}
}
