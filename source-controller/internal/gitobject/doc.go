// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitobject reads the raw bytes of Git's commit and tag objects.
//
// In: an object's name and its bytes, as Git stores them.
// Out: what the source-controller needs of it: a subject for people, the time
// that orders equal versions, and the signature with the bytes that it covers.
//
// The bytes are whatever their author made them. Nothing of them is required
// and nothing in them makes the package fail; what is missing stays empty. It
// never decides whether a signature holds.
package gitobject
