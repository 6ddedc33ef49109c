// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package monitoring holds the alerts and the dashboard of config/monitoring to
// Prometheus' own engine and to the series that the controllers register.
//
// In: the files. Out: test failures, nothing else. It is a module of its own, so
// that Prometheus' versions do not move ours.
package monitoring
