// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitremote reads Git repositories over HTTP(S) with the git program.
//
// In: an address with credentials, and what reference.Choice asks for.
// Out: the references that a remote lists, and the tree of one commit as an
// archive.Tree.
//
// One bare mirror is kept per address and credential, so that a second look
// moves only what is new; different credentials never share a mirror, so that
// nobody reads what he may not fetch. The tree is read from the object database
// (ls-tree, cat-file): git archive would obey the repository's attributes.
//
// What the repository or the server says is never trusted. There is no working
// tree, no hook, no filter, no configuration but the one given here. Credentials
// travel in the environment, never on a command line or in a file of the mirror,
// and only to the host that they were given for: redirects are followed by this
// package, not by git. Output, transfer and time are bounded, and a cancelled
// call ends git's whole process group.
//
// It never writes outside its root folder.
package gitremote
