// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package release decodes what Helm stores of a release in the cluster.
//
// In: the data of a release Secret. Out: the objects of its manifest. Sizes
// are bounded: whoever may write Secrets in a namespace could store a bomb. It
// never asks a cluster, and never reads the release's values.
package release
