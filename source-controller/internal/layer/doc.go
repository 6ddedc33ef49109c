// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package layer reads the layer of an OCI artifact as a tree of files.
//
// In: a tar stream, compressed or not, a scratch file, and limits.
// Out: a tree for package archive, whose bytes stand in the scratch file one
// after the other.
//
// No name of the stream is ever used as a name on disk, so that no link, no
// ".." and no absolute path of it can lead anywhere. Symbolic links are left out,
// as in Flux; a hard link gives the bytes that it leads to; devices are refused.
// What is kept in memory is a line for each file, and their number is bounded.
package layer
