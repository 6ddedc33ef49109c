// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package engine judges a declaration from the user's own checkout, with the
// packages that the drift-controller itself is made of.
//
// In: an Application and what belongs to it in the cluster, a file system with
// its source, a connection. Out: the entries that the drift-controller would
// report if that source were the compared revision.
//
// Workflow: render → desired → observe → compare → drift → plan, at stage
// Observe. Two things differ from the controller, since the key of its digests
// is not the user's: values are masked by a key of this run, and what Git said
// before is taken from the controller's last report (see settle).
//
// What reaches the API server are reads and dry runs, with the user's own
// rights.
package engine
