// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pattern finds tokens of known vendors in a text, with gitleaks as a
// library.
//
// In: a text, one value. Out: hits, by id and place; never a copy of what was
// found. Which of the library's rules count is said in api/shape, because both
// controllers that look for tokens have to find the same ones.
//
// It reads no file and no configuration of the process, and honours no marker
// in the text that asks to be passed over.
package pattern
