// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package revision prints the human form of a fetched version, in the
// notation that every consumer of a source compares as a plain string.
//
// In: a name (branch, tag or full reference) and an object name.
// Out: "main@sha1:<hex>", or "sha1:<hex>" where no name was asked for.
// It never resolves anything and never shortens an object name.
package revision
