// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package helm renders a chart as Helm's engine does.
//
// In: a tree, the folder of a chart, layers of values, and what the cluster
// can do. Out: objects, the fields that two renders disagree on, notes, and a
// Trace that tells which values file gave a value.
//
// It never opens a connection: dependencies come from charts/ or from folders
// of the tree, lookup finds nothing (and that is noted), DNS is off, and
// schemas elsewhere are not fetched. It runs no hook and keeps no release. The
// clock is a value that the caller gives.
package helm
