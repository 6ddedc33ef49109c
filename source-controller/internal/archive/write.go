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
	// Donor is an earlier archive: what did not change since is copied from it
	// instead of compressed again. Nil for none.
	Donor *Donor
	// Flux asks for the compressed bytes of Flux too: one stream, all of it
	// compressed each time.
	Flux bool
}

// Report counts what happened. Links are left out, as in Flux; that they are
// counted is what tells people.
type Report struct {
	Files   int
	Bytes   int64
	Links   int
	Ignored int
	Reused  int64 // bytes of the archive that were copied from the donor
}

// Write packs the tree into a gzipped tarball. Equal content gives equal bytes,
// with and without a donor.
func Write(w io.Writer, tree Tree, options Options) (Report, error) {
	nodes, report, err := choose(tree, options)
	if err != nil {
		return report, err
	}
	if !options.Flux {
		report.Reused, err = writePieces(w, tree, nodes, options.Donor)
		return report, err
	}
	compressed := gzip.NewWriter(w)
	if err := writeNodes(compressed, tree, nodes); err != nil {
		return report, err
	}
	return report, compressed.Close()
}

// WriteTar packs the tree without compression.
func WriteTar(w io.Writer, tree Tree, options Options) (Report, error) {
	nodes, report, err := choose(tree, options)
	if err != nil {
		return report, err
	}
	return report, writeNodes(w, tree, nodes)
}

// choose gives what is packed, in order.
func choose(tree Tree, options Options) ([]node, Report, error) {
	nodes, err := walkOrder(tree.Entries())
	if err != nil {
		return nil, Report{}, err
	}
	matcher, err := rules(tree, nodes, options.Ignore)
	if err != nil {
		return nil, Report{}, err
	}
	var report Report
	// The root has an entry of its own, and no pattern can match it.
	kept := []node{{entry: Entry{Path: ".", Kind: Folder}, folder: true}}
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
		return nil, report, fmt.Errorf("%w: %d files have %d bytes together, the limit is %d; leave some out by spec.ignore or .sourceignore",
			ErrTooLarge, report.Files, report.Bytes, options.MaxBytes)
	}
	return kept, report, nil
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
	if err := addNodes(tarball, tree, nodes); err != nil {
		return err
	}
	return tarball.Close()
}

func addNodes(tarball *tar.Writer, tree Tree, nodes []node) error {
	for _, n := range nodes {
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
	return nil
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
