// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !faults

package clocks

import "k8s.io/utils/clock"

// Own is the clock of this machine.
func Own() clock.PassiveClock { return clock.RealClock{} }
