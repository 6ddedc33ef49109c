// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scenario holds the behaviour of Holdfast as stories: a script each,
// in the verbs of package script, from what is in Git and in the cluster to
// what Holdfast says of it.
//
// In: the scripts of this folder, and those of alone/, which stop what others
// need and run one by one. Out: test results. To write down anew what reports
// and statuses read like:
//
//	go test ./tests/scenario -run 'Scenarios/hand-edit' -update
package scenario
