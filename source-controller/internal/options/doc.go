// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package options reads the command line of the source-controller.
//
// In: arguments and the environment.
// Out: one value with every setting, checked.
//
// The flags are Flux's, with Flux's defaults, as far as they concern what is
// offered; those of our own have to do with Git mirrors and limits. It starts
// nothing.
package options
