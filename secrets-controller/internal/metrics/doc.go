// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package metrics exposes what alerts need: findings by severity and the
// verdict of each gate, for every Application.
//
// Input: the status of a report. Output: gauges in a registry. Labels hold
// names and the closed words of the API, never a message or a path.
package metrics
