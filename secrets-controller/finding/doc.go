// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package finding is what rules produce: rule, severity, gate, object, path,
// message and remedy, with a total order and a fingerprint.
//
// Input: the facts of one fault. Output: comparable, sortable values in the
// words of the API (severity, gate, object reference), which it borrows so
// that there is one vocabulary.
//
// A finding never carries a value or a piece of one: Evidence is a keyed
// digest. It is published inside a fingerprint, and as the digest of a leak that
// a report remembers.
package finding
