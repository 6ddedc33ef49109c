// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ociaccess gathers what an OCIRepository names: how its registry is
// reached, and by what its signatures are judged.
//
// In: the object, and a reader of Secrets and service accounts.
// Out: a remote, or a verifier, or the failure that explains why not, in Flux's
// reasons.
//
// Everything is read anew each time, so that a rotated password works at the
// next pass. The package writes nothing, and no failure carries a value.
package ociaccess
