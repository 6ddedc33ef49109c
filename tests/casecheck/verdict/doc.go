// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package verdict compares what the product said of a case with the right
// answer.
//
// In: an expectation and the outcome of a run as values. Out: problems, each
// with got and want; none means right. Remarks of an expectation that no
// program can check come back as such, so that nobody takes them for checked.
//
// It never judges drift itself and never prints a value that must stay hidden.
package verdict
