// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitclone is the fallback for machines where the git program cannot be
// used: it fetches with Flux's own client, anew for each commit.
//
// In: a remote and what reference.Choice asks for, as for gitremote.
// Out: the same trees. What the remote lists, redirects, and where submodules
// may live are gitremote's business, so that both clients choose alike.
//
// Transfer, disk and number of files are bounded by the file system that the
// client is given, and all of a clone is removed with its tree. The tree is read
// from the object database; the checkout beside it, which the client insists on,
// is never read.
//
// It never follows a redirect, reads no configuration of a user, and gives no
// submodule to the client.
package gitclone
