// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package renders goes from an artifact to rendered manifests, and serves them
// masked.
//
// In: an Application's spec and the artifact of its source. Out: a render, kept
// in memory as long as the files that it read and its options are the same, so
// that a commit elsewhere in a repository renders nothing; and the URL of the
// masked manifests. It reads values from Secrets as the application's observer
// and never writes to a cluster.
package renders
