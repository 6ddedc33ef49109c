// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package mask keeps secret values from leaving.
//
// In: an object's kind and a value at a path. Out: the same value, with every
// sensitive scalar replaced by a keyed digest: "changed" stays visible, the
// value does not. Sensitive is what a Secret holds, what an earlier tool kept
// of it in an annotation, what stands under a name that speaks of a secret,
// and a password inside a URL. Masking happens where a difference is born; a
// value that was masked cannot be unmasked later.
package mask
