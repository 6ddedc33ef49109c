// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitrepo commits files to a branch of a remote repository.
//
// In: an address, a credential, files by path. Out: a commit that was pushed,
// or a Fault that says what stood against it. The repository is held in
// memory: nothing of it, and no credential, is ever written to a disk, and no
// hook or filter of it runs.
//
// It never forces a push and never changes a file that it was not given.
package gitrepo
