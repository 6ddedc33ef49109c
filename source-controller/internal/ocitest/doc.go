// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package ocitest runs a real OCI registry for tests, on loopback and in this
// process.
//
// In: how the registry is protected, and artifacts to push.
// Out: its address and authority, a record of the requests that it got, and a
// hook that makes it fail.
//
// It never serves anything that a test did not push.
package ocitest
