// Copyright 2026 The Holdfast Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build faults

package clocks

import (
	"os"
	"strings"
	"time"

	"k8s.io/utils/clock"
)

// Own is a clock that is off by what a file says when the process begins: what
// a jump leaves behind in a process that runs, its monotonic clock sees to. No
// release is built with it.
func Own() clock.PassiveClock {
	text, err := os.ReadFile(os.Getenv("HOLDFAST_FAULTS_CLOCK"))
	if err != nil {
		return clock.RealClock{}
	}
	by, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil {
		return clock.RealClock{}
	}
	return wrong{by: by}
}

type wrong struct{ by time.Duration }

func (w wrong) Now() time.Time { return time.Now().Add(w.by) }

func (w wrong) Since(t time.Time) time.Duration { return w.Now().Sub(t) }
