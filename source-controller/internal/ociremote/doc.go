// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ociremote reads OCI registries.
//
// In: a repository, and how to reach it (pull secrets, certificates, a proxy).
// Out: what a tag points to, the tags, manifests, and blobs as streams whose
// end is reached only if their bytes have the digest that was asked for.
//
// A blob that breaks off goes on where it stopped, within a call and at the
// next one, from a file that nobody else reads. Everything that a registry
// sends is bounded. Credentials go to the registry and to the token server that
// it names, never to where it redirects; no error carries one, nor the query of
// an address, which may be a signed one.
//
// The package never writes to a registry and never unpacks anything.
package ociremote
