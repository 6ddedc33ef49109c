// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package bench measures what docs/benchmarks.md reports: ratios within one
// run, never a timed test.
//
// In: the built controllers and an embedded control plane. Out: benchmark
// metrics: latency of a hand edit over a bare loop, requests per object, live
// heap per object. It asserts nothing about speed; what it cannot measure is
// an error.
package bench
