// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package plain renders a folder of YAML and JSON files as they are.
//
// In: a tree and a folder. Out: the objects of every *.yaml, *.yml and *.json
// file below it, hidden files and folders left out. A folder that has a
// renderer of its own is handed to the caller.
//
// It never skips a file that it cannot read: what is not a Kubernetes object
// is an error that says what to do with the file.
package plain
