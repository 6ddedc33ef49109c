// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package report writes judgements down: the entries that a DriftReport shows,
// their pages, and the counts of an Application's summary.
//
// In: judged objects, strays, removed objects, what the last report said about
// when things were first seen. Out: entries in a total order and page statuses
// below pages.Limit. Values come masked out of package compare; nothing here
// could unmask them.
package report
