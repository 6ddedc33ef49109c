// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package command is the tree of holdfast's verbs, and the way from what a
// verb ended with to what the user reads and the shell gets.
//
// In: arguments and a terminal. Out: an exit code. Each verb is a package of
// its own below this one, with Options and New; a new verb is added to Root.
//
// It never reads the cluster itself.
package command
