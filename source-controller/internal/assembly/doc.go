// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package assembly puts the content of a source together from trees: some
// folders of one, other sources' artifacts and submodules inside it.
//
// In: trees, and paths that users or repositories wrote.
// Out: one tree, as a checkout on disk would have become by Flux's steps, in
// their order. There is no checkout: only the files of an unpacked artifact are
// spooled to one nameless file.
//
// It never lets a path leave the tree or pass through a symbolic link of it.
package assembly
