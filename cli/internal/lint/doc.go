// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lint judges what a folder declares about secrets, without a cluster.
//
// In: a file system, the path that an Application would name, perhaps an
// earlier revision of it, folders beside it, and SecretPolicies. Out: a report
// with the findings of the declaration gate, each with the file that it comes
// from, as text, JSON, SARIF or Markdown.
//
// It renders with the drift-controller's package and masks with it too, so that
// the rules see exactly what the secrets-controller would be given: no value of
// a secret reaches a rule, let alone the output. What only a cluster can tell is
// left out and said so, or Unknown. It never talks to one.
package lint
