// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package conformance holds a source-controller to Flux's contract: ours in
// every test run, any other by path.
//
// In: a binary, cases as files. Out: what differs. It is a black box: it sees
// the API, the address of the artifact, the receiver of events and the
// servers that were asked, and imports no controller.
package conformance
