// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package actuate_test lets the one writer write to a real API server: what it
// takes over from other tools, what it leaves alone, and what it refuses.
//
// In: declarations, and what other tools made of them. Out: test results.
package actuate_test
