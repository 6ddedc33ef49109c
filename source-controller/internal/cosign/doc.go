// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cosign checks signatures that cosign makes of OCI artifacts.
//
// In: a repository, the digest of an artifact, and whom to trust: public keys,
// or the authorities of a Sigstore with the identities that may sign.
// Out: nil if at least one signature over that digest holds.
//
// All layouts are read: bundles that refer to the artifact (cosign 3), signature
// manifests that do, and the tag sha256-….sig (cosign 2). A statement that says
// something else about the artifact, such as a list of its parts, is no
// signature of it. The package never asks a transparency log: what a signature
// needs of one, it carries.
package cosign
