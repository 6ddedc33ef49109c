// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package worktree shows a folder or a commit of the user's own Git repository
// as the source-controller would serve it.
//
// In: a folder, perhaps a revision, the path of an Application and the ignore
// rules of its source. Out: an fs.FS without what an artifact would not hold:
// ignored files, links, the .git folder.
//
// It never writes to the repository, and never leaves the folder.
package worktree
