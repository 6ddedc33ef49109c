// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metrics counts drift for alerts: gauges per application and class,
// the age of the oldest entry that counts, what waits for a person, since when
// a source is not ready, and how long comparisons take.
//
// In: statuses. Out: Prometheus series. No label ever holds a value, a path or
// the name of an object; an application's series end with it.
package metrics
