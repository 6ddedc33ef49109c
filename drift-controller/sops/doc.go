// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sops reads files that SOPS encrypted for age.
//
// In: a file's name and bytes, and age identities. Out: the same file in the
// clear without SOPS's metadata, and the values that were encrypted, so that
// the caller can hide them. The message authentication code over all values is
// checked before anything is given.
//
// Formats are those of SOPS by the file's ending: YAML, JSON, dotenv, and any
// other as binary. Keys of PGP and of cloud services, and files whose key is
// shared out between groups, are refused with the reason (ADR 0023). Errors
// name files, recipients and lines, never a value.
package sops
