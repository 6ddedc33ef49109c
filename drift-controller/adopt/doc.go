// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package adopt finds the change of a source that makes it say what live has.
//
// In: the files of a source, how they are rendered, and differences with their
// live values. Out: the changed files, and for each difference where it went or
// why it could not be written.
//
// Workflow: propose → render again → hold against the render before. A proposal
// counts only if the rendered object then has the live value and nothing else
// has changed, but for digests that are computed from it; so how it was found
// may be a guess, and what is given is a proof. Plain manifests are changed in
// place. So are files of a kustomization's own folder; what comes from a base
// gets a patch file and its entry, since others may use the base. For a chart
// the one key of its values is changed that gives the value; where none or more
// than one does, it says so.
//
// It writes nothing and reads nothing but the given file systems. It does not
// know what a secret is: the caller must not ask for one.
package adopt
