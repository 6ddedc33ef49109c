// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ocireference chooses which version of an OCI artifact an object asks
// for.
//
// In: spec.url and spec.ref of an OCIRepository, and the tags that a registry
// listed.
// Out: the repository, and the digest or the tag that is meant.
//
// The precedence is Flux's: digest, semver, tag, and latest where nothing is
// said. It never talks to a registry, and it never lets a name through that
// would change the path of a request.
package ocireference
