// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package build turns a Plan (a module, commands of it, an output folder) into
// a folder of executables.
//
// Input: a Plan and a terminal or log to report progress to. Output: the
// folder, complete, with a stamp that names what it was built from, or an
// error and the folder as it was before.
//
// The workflow is: compare the stamp, take the lock, compare again, fetch the
// modules, build every command into a work folder beside the output, write the
// stamp, rename. The rename comes last, so that a build that was killed is
// never taken for a finished one.
//
// The package never runs what it has built, except for the small commands of
// the plan that print a file, and it imports nothing but the standard library:
// it must be able to say what is wrong on a machine that has no modules yet.
package build
