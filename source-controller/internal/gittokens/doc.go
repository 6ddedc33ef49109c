// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gittokens gets short-lived Git credentials from GitHub and from cloud
// providers.
//
// In: an installation of a GitHub App, or an identity at a provider.
// Out: a name and password, or a bearer token.
//
// Flux's own library talks to them; this package is the seam before it, so that
// everything else can be tested without. It never keeps a token longer than its
// cache, and never writes one anywhere.
package gittokens
