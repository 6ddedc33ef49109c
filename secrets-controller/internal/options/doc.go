// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package options turns the command line into one value and that value into a
// manager.
//
// Input: flags and the client configuration. Output: an Options value, and a
// controller-runtime manager with its cache, probes and metrics.
//
// It starts nothing and knows no rule.
package options
