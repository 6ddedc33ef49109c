// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitwire speaks the part of Git's protocol that lists references.
//
// In: what a server says (protocol 0, 1 and 2), and which references are asked
// for.
// Out: those references, each annotated tag with its commit; the kind of object
// names; the bytes of the request.
//
// Asking for one reference of thousands is one small request of protocol 2.
// Git's own client starts three processes for it. What is transferred beyond
// references is the git program's business.
//
// A server's bytes are not trusted: every length is bounded, and what is no
// reference is an error. The package has no connection of its own.
package gitwire
