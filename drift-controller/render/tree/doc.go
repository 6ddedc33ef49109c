// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package tree is the view that renderers have of an artifact: bounded, and
// recorded.
//
// In: an fs.FS and limits. Out: files, kinds and listings, and at the end the
// Inputs, which say exactly what was looked at, things found absent included.
// Inputs that verify against a newer artifact prove that rendering it again
// would give the same result, so a commit elsewhere in the repository costs
// nothing.
//
// It never writes, and never leaves the root: the given fs.FS must not follow
// symbolic links out of it, as that of an os.Root does not and os.DirFS does.
package tree
