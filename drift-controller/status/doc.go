// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package status turns the facts of one run into an Application's status.
//
// In: the Application as it was read and what the stages of the run found, or
// the halt that ended it. Out: the whole next status. It is the only place that
// sets a condition, one function each; nothing else reads a condition back to
// decide anything. It reads no clock and no cluster.
package status
