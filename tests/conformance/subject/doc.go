// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package subject runs any source-controller binary: ours or Flux's, by path.
//
// In: a binary, a kubeconfig, a folder, flags. Out: a running process with the
// addresses at which it serves artifacts, health and metrics. It speaks only
// the command line that both binaries share.
package subject
