// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitaccess gathers what a GitRepository names to reach its remote.
//
// In: an object, the Secrets and the identity that it names, and tokens of the
// providers that it may name.
// Out: an address with credentials, or a halt with the reason that Flux's
// conditions have.
//
// It never decides about content, and no message of it carries a value.
package gitaccess
