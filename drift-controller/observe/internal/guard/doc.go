// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package guard says whether admission holds observers to dry runs.
//
// In: the policy for observers and its binding, as the cluster has them. Out:
// what is wrong with them, in words, or nothing. It knows the policy that
// config/policy ships and trusts no other: one that was loosened by hand would
// let an observer's real writes through. It never asks a cluster.
package guard
