// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package status turns what happened in a pass over a source into its
// conditions, in Flux's words.
//
// In: facts: how the pass ended, what is stored, what is still to be stored.
// Out: the conditions of the object, computed in one place, once at the end of a
// pass and, for slow work, once before it.
//
// It asks nobody and decides nothing: whether to retry is the halt's kind.
package status
