// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rendered keeps the masked manifests of applications and serves them
// to the secrets-controller.
//
// In: desired objects, what is tainted in them, a key. Out: manifests whose
// secret values are masks that keep the shape a rule needs, packed, and served
// under a path that cannot be guessed or listed.
//
// A value is masked before it is written: nothing unmasked is ever on the disk.
// Keys are always kept.
package rendered
