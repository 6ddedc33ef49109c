// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package notation checks signatures that Notation makes of OCI artifacts.
//
// In: a repository, the digest of an artifact, a trust policy and certificates.
// Out: whether a signature holds, or the policy wants none to be claimed.
//
// It never reads trust from the machine it runs on, and runs no plugins.
package notation
