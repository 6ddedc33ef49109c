// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package compare finds where live and restored part.
//
// In: an observation, the desired object and the server's own types. Out: a
// list of differences, each with its keyed path, whether Git declares the path,
// and both values. Both sides are typed with the server's schema and compared
// by structured-merge-diff, so list items meet by their merge keys and the
// paths are those of managedFields. Where no dry run was possible, Estimate
// builds the restored form from the declaration and the live object.
//
// It never explains a difference (package drift does), never reads a cluster,
// and never shows a value unmasked: a Value keeps its raw content to itself.
package compare
