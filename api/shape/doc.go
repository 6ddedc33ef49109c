// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package shape says what a value looks like without saying what it is: its
// shape, the patterns of secrets within it, and the mask that stands for it.
//
// In: a text, and perhaps the name it stands under. Out: a Shape, hits with
// their place in the text, a mask that carries shape, digest and the ids of
// what matched. The words are a contract between the drift-controller, which
// masks, and the secrets-controller, whose rules have to come to the same
// result on a raw value and on its mask: so there is one source for both.
//
// It never keeps a value, and knows no object: which kind and field a value
// stands in is for its callers to weigh.
package shape
