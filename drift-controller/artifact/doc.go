// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package artifact downloads what the status of a source names, and gives it
// as a read-only file system.
//
// In: URL, digest, size. Out: a Tree whose FS cannot be left, not by ".." and
// not by a link. Artifacts are unpacked once and shared by all that open the
// same digest, as long as somebody uses them and a little longer: fifty
// applications of one repository cost one download.
//
// It never gives a file whose archive does not match the digest, never keeps
// more than its limits, and never waits to try again: that is the caller's
// queue's business.
package artifact
