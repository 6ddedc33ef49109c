// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package registry runs a real OCI registry on loopback, in this process.
//
// In: a folder for its blobs, and files to push. Out: its address, and the
// digests of what was pushed. It asks nobody for a password.
package registry
