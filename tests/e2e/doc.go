// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

// Package e2e proves the promises that no scenario can tell in its own words:
// from the API server's audit log that Observe writes nothing, from everything
// that is published that secret values never leave, and from a killed
// controller that a restart forgets nothing and reads nothing twice.
//
// In: the checkout. Out: test results. The controllers run as processes on a
// real control plane; nothing of them is replaced.
package e2e
