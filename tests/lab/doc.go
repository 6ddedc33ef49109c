// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package lab is where an end-to-end test works: one control plane, one Git
// server and the three controllers as processes, shared by the tests of a
// package; and for each test a Space of its own, which is a namespace with a
// repository and an account that observes.
//
// In: the checkout. Out: a running Holdfast, text forms of what it reports that
// hold no time and no generated name, and what the API server's audit log says
// of its writes. The controllers are built from the checkout, so that a test
// never runs yesterday's. Nothing here knows what a verdict should be.
package lab
