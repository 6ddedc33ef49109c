// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package faults looks for a wrong write by real controllers on a real API
// server while everything around them goes wrong: renders that are empty,
// partial or of a wrong path, artifacts that arrive cut short, lists that are
// forbidden, people who copy, recreate and edit, clocks that jump, and a
// drift-controller that is killed again and again.
//
// In: seeds. Each one is a world of its own: a namespace, a repository and an
// Application; a dozen of them live at the same time under one controller, so
// that a kill hits them all. Out: test results, by the API server's audit log
// and by what stands in the end, and by nothing that the controller says.
package faults
