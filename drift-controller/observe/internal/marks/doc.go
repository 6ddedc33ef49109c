// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package marks reads the labels and annotations by which deployers say that
// an object is theirs.
//
// In: an object's metadata. Out: claims in words, such as "Helm release shop",
// and the Helm release that it belongs to. It never asks a cluster, and never
// takes a mark for a proof: anybody can copy a label.
package marks
