// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package refusal reads the errors of an API server: what kind of refusal it
// is, what it says of the manifest, and in which words a person may see it.
//
// In: an error of a client, and what may not be shown. Out: a Refusal, or the
// declaration without the fields that the server does not know. Where the API
// has no code for a thing, the server's text decides; the texts stand in one
// table with the case that taught them. The package never asks a server.
package refusal
