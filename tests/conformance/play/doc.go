// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package play plays a case on one source-controller and looks at what comes
// out, through the API and the address of the artifact only.
//
// In: a case, a cluster, fixtures, a running subject. Out: what differs from
// what the case expects, and a record of what was seen that holds no name of
// this run, so that records of two subjects can be compared.
package play
