// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package options reads the command line of the drift-controller.
//
// In: arguments and the environment. Out: one value with every setting,
// checked. Flags that Flux's controllers have carry the same names and
// defaults. It starts nothing.
package options
