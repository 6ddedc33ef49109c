// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scale reads which object an autoscaler aims at.
//
// In: an autoscaler, live or declared. Out: the identity of its target, and
// what it owns there. It never asks a cluster.
package scale
