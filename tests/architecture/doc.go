// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package architecture tests what a linter cannot say: which package may
// import which, how large files and packages may grow, and that documents name
// only what exists.
//
// It reads the repository's files and parses them; it imports none of the
// packages that it judges, and compiles nothing. The table of packages is in
// layers_test.go: a package that is not there fails, so that whoever adds one
// says what it is.
package architecture
