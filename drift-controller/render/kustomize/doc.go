// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kustomize builds a kustomization out of a tree.
//
// In: a tree, the folder of a kustomization, and overrides that are put on top
// as Flux does. Out: the objects, each with the file that it came from.
//
// Kustomize itself would fetch remote bases, run git, and inflate charts with
// a helm binary. Here every kustomization file is examined before kustomize
// sees it, and whatever is not a file of the tree is refused by name. It never
// writes, never leaves the tree, never runs a program and never opens a
// connection.
package kustomize
