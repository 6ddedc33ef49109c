// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package api tests what config/ promises, on a real API server: the CRDs are
// accepted and refuse what they should, the samples apply, defaults and print
// columns are those that people see, each controller may do what tools/rbac
// says and nothing else, and an observer cannot write.
//
// It has tests only, and starts none of the controllers.
package api
