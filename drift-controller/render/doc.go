// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package render turns a path of an artifact into manifests.
//
// In: an fs.FS that does not leave its root, a path, and Options. Out: a
// Result with the objects that should stand, in a total order, and all that a
// reader has to know about them: hooks that are not run, objects that cannot
// be compared, fields that differ from one render to the next, values that
// come from Secrets, and the inputs that were looked at.
//
// The renderer is chosen here and nowhere else: Chart.yaml means helm, a
// kustomization means kustomize, anything else is plain. What holds for every
// renderer is also done here, once: variables, hooks, foreign marks, limits,
// masking of errors.
//
// It never opens a connection, runs a program, writes a file or reads clock or
// environment. Every error is a halt with a reason of the API.
package render
