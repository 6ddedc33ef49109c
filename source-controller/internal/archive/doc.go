// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package archive packs a tree of files into the tarball that Flux would make
// of a checkout of that tree.
//
// In: a Tree (entries and a reader of file bytes), ignore rules, limits.
// Out: a gzipped tar stream, and a report of what was packed and left out. The
// uncompressed tar is byte for byte that of fluxcd/pkg/artifact: a lexical
// walk, folders and regular files only, names relative to the root, times and
// owners zeroed, three modes.
//
// It never follows a symbolic link of the tree to the machine it runs on, never
// writes a file, and refuses a tree whose names would leave the archive.
package archive
