// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package casefile reads cases of the conformance suite.
//
// In: a YAML file. Out: its steps as values: what happens to repositories,
// registries and objects, and what must then be seen. It runs nothing.
package casefile
