// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package reference chooses which version of a Git repository an object asks
// for.
//
// In: spec.ref of a GitRepository, and the references that the remote listed.
// Out: what to fetch, the commit it stood at, the name that the revision
// carries, and a sentence that says why.
//
// The precedence is the one that Flux's binary has: commit, name, tag, semver,
// branch. (Flux's API text ranks semver above tag; its client does not.)
//
// It never talks to the remote, and it never lets a name through that Git
// would read as an option, a pattern or a revision expression.
package reference
