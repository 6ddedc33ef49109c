// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package change makes the bytes of a write: the body of an apply, which always
// carries the full declared set, and the JSON patch of exactly the judged paths.
//
// In: the declaration, the live object as it was read for this very write, and
// what a plan said about its paths. Out: an object to apply, or operations that
// test the UID and the resourceVersion first. It has no client: it cannot write
// what it makes, and it never decides whether something is to be written.
package change
