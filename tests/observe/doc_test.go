// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package observe_test holds the tests of package observe of the
// drift-controller against a real API server: what a dry run answers, what
// RBAC refuses and what the audit log says cannot be made up.
//
// testdata/kinds has one file per kind: a declaration as people write it. Each
// is applied by another tool, and must then equal its restored form.
package observe_test
