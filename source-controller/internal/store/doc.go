// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package store keeps artifacts on disk, in the layout and with the retention
// of fluxcd/pkg/artifact, and serves them over HTTP.
//
// In: what an object's status claims to be stored, and streams to store.
// Out: whether the claim holds, and the artifact as status records it.
//
// An artifact counts as present only while its bytes have the recorded digest.
// The package never fetches, and never removes the artifact that is named as
// current.
package store
