// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package casefile reads a folder of cases, as tests/cases/README.md describes
// them.
//
// In: a folder. Out: cases as values: what Git renders, what is live, what
// happened, and the right answer. Manifests are decoded by the product's own
// decoder, since what it makes of their bytes is part of many cases.
//
// It never talks to a cluster, never judges, and never passes over a folder
// that it cannot read: an empty corpus is an error.
package casefile
