// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package clocks tells what time it is by two clocks: our own and the API
// server's, which each of its answers names in the Date header.
//
// In: answers of the API server, and a clock. Out: the present by our clock, and
// the earlier and the later of the two. What takes time before something may be
// deleted or an emergency ends has to have taken it by both clocks, so that a
// jump of one ends nothing early. It sets no clock and waits for nothing.
package clocks
