// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package binaries finds the control plane's executables, and has them built
// when they are missing or were built from something else.
//
// Input: a folder, or none. Output: a folder that holds every name of Required.
// It builds by running the builder of the module tests/controlplane, which is
// outside the workspace; it never downloads an executable and never takes one
// from the PATH.
package binaries
